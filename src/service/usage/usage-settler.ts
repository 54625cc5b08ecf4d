import { type RequestOutcome, type Settlement, type QuotaUnit, releasesUnit } from '../../core/usage/ports.ts'
import { periodicTask, type Repeat } from '../operation/periodic-task.ts'
import type { UsageMeter } from './usage-meter.ts'

/** How often settlements that could not be recorded are retried, in milliseconds. */
const RETRY_EVERY_MS = 5_000

/** The maximum number of settlements kept for a retry, enough for a fault of several minutes on a busy service. */
export const MAX_KEPT = 100_000

/** Settlements retried in one batch: well below the number of settlements that may wait for the store. */
const RETRY_BATCH = 1_000

/** Records the outcomes of reserved requests, immediately or as soon as the store can be written. */
export type UsageSettler = ReturnType<typeof createUsageSettler>

export interface UsageSettlerDeps {
  meter: Pick<UsageMeter, 'settle'>
  /**
   * Whether the store releases units of a stopped process. A success must then be recorded before its response is sent.
   */
  mustRecordSuccesses?: boolean
  repeat?: Repeat
  /** Called when a settlement could not be recorded. The settlement is retried, or dropped when too many are kept. */
  onFault: (error: unknown) => void
}

export function createUsageSettler(deps: UsageSettlerDeps) {
  const { meter, mustRecordSuccesses = false, repeat, onFault } = deps
  let kept: Settlement[] = []
  const inProgress = new Set<Promise<unknown>>()

  const record = ({ unit, outcome, atMs }: Settlement) => meter.settle(unit, outcome, atMs)

  function keep(settlements: readonly Settlement[]) {
    kept.push(...settlements.slice(0, MAX_KEPT - kept.length))
  }

  async function recordOrKeep(settlement: Settlement) {
    try {
      await record(settlement)
    } catch (error) {
      onFault(error)
      const isRefused = mustRecordSuccesses && !releasesUnit(settlement.outcome)
      keep([isRefused ? { ...settlement, outcome: 'failed' } : settlement])
      if (isRefused) throw error
    }
  }

  async function track<T>(work: Promise<T>): Promise<T> {
    const ended = work.catch(() => {})
    inProgress.add(ended)
    return await work.finally(() => inProgress.delete(ended))
  }

  async function retry() {
    const settlements = kept
    kept = []
    for (let i = 0; i < settlements.length; i += RETRY_BATCH) {
      const batch = settlements.slice(i, i + RETRY_BATCH)
      const results = await Promise.allSettled(batch.map(record))
      const failures = results.filter((result) => result.status === 'rejected')
      if (failures.length === 0) continue
      onFault(failures[0]!.reason)
      keep(batch.filter((_, n) => results[n]!.status === 'rejected'))
      // The store is still down, so the remaining settlements would fail as well.
      keep(settlements.slice(i + RETRY_BATCH))
      return
    }
  }

  const retries = periodicTask(retry, RETRY_EVERY_MS, repeat)

  return {
    /**
     * Records the outcome of a request that started at `atMs`. Rejects only if `mustRecordSuccesses` and a successful
     * response could not be recorded: the request then fails, and is recorded as failed later. Without
     * `mustRecordSuccesses`, a locked store does not fail the response, and the unit is settled later.
     */
    settle: (unit: QuotaUnit, outcome: RequestOutcome, atMs: number) => track(recordOrKeep({ unit, outcome, atMs })),
    /**
     * Disposing waits for this work, which settles a unit. The server does not wait for the work once its client has
     * left.
     */
    track,

    async [Symbol.asyncDispose]() {
      await Promise.all([...inProgress, retries[Symbol.asyncDispose]()])
      await retry()
    },
  }
}
