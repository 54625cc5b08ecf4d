import type { RequestOutcome, Settlement, Slot } from '../core/usage-ports.ts'
import type { UsageMeter } from './usage-meter.ts'

/** A store that could not be written is tried again after this long. */
export const RETRY_MS = 5_000

/** Settlements kept for later at the most: as many as a busy service has in the minutes that a fault may last. */
const MAX_KEPT = 100_000

/** Kept settlements that are retried together: well below what may wait for the store at once. */
const RETRY_BATCH = 1_000

/** Records how reserved requests ended: at once, or as soon as the store can be written. */
export interface UsageSettler extends AsyncDisposable {
  /**
   * Rejects only for an answer that could not be recorded and must be; its request fails then, and is recorded as failed
   * later. Otherwise an answer must not fail because the store is locked, nor a slot be lost because of that.
   */
  settle(slot: Slot, outcome: RequestOutcome): Promise<void>
}

export interface UsageSettlerDeps {
  meter: Pick<UsageMeter, 'settle'>
  /**
   * Whether the store gives back the reserved slots of a process that ends. An answer that was sent but not recorded
   * would not be counted then. Default false.
   */
  mustRecordAnswers?: boolean
  /** Unix milliseconds. */
  now: () => number
  /** Runs the function after so many milliseconds; what it returns cancels that. */
  startTimer: (run: () => void, ms: number) => () => void
  /** A settlement could not be recorded yet, or, when too many are kept, not at all. */
  onFault: (error: unknown) => void
}

export function createUsageSettler(deps: UsageSettlerDeps): UsageSettler {
  const { meter, mustRecordAnswers = false, now, startTimer, onFault } = deps
  let kept: Settlement[] = []
  let cancelRetry: (() => void) | null = null
  let retrying: Promise<void> = Promise.resolve()
  let isDisposed = false
  const underWay = new Set<Promise<void>>()

  const record = ({ slot, outcome, atMs }: Settlement) => meter.settle(slot, outcome, atMs)

  function scheduleRetry() {
    if (isDisposed) return
    cancelRetry ??= startTimer(() => {
      cancelRetry = null
      retrying = retry()
    }, RETRY_MS)
  }

  function keep(settlements: readonly Settlement[]) {
    kept.push(...settlements.slice(0, MAX_KEPT - kept.length))
  }

  async function recordOrKeep(settlement: Settlement) {
    try {
      await record(settlement)
    } catch (error) {
      onFault(error)
      const isRefused = mustRecordAnswers && isAnswer(settlement.outcome)
      keep([isRefused ? { ...settlement, outcome: 'failed' } : settlement])
      scheduleRetry()
      if (isRefused) throw error
    }
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
      // The store is still down, so the rest would fail as well.
      keep(settlements.slice(i + RETRY_BATCH))
      scheduleRetry()
      return
    }
  }

  return {
    async settle(slot, outcome) {
      const recording = recordOrKeep({ slot, outcome, atMs: now() })
      const ended = recording.catch(() => {})
      underWay.add(ended)
      await recording.finally(() => underWay.delete(ended))
    },

    async [Symbol.asyncDispose]() {
      isDisposed = true
      cancelRetry?.()
      await Promise.all([...underWay, retrying])
      await retry()
    },
  }
}

function isAnswer(outcome: RequestOutcome): boolean {
  return outcome === 'answered_fresh' || outcome === 'answered_from_cache'
}
