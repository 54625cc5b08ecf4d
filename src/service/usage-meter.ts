import type { Metering, RequestOutcome, Settlement, Slot, SlotRequest, SlotResult } from '../core/usage-ports.ts'

/** Requests and settlements that may wait for the store: far more than a turn brings, unless the store is locked. */
const MAX_WAITING = 20_000

/**
 * Meters single requests. Those of one turn of the event loop share a batch, since a transaction of many costs hardly
 * more than one of one; while a batch is being written, the next one collects.
 *
 * Each resolves when its batch is written down for good, and rejects when that failed or when too many wait.
 */
export interface UsageMeter {
  /** Takes a slot for an answer that is ready, and counts it: the only step of a cached answer. */
  charge(slot: Slot, limit: number, atMs: number): Promise<SlotResult>
  /** Takes a slot for work that is to be done; `settle` ends it. */
  reserve(slot: Slot, limit: number): Promise<SlotResult>
  /** Ends a reserved slot. Once for each. */
  settle(slot: Slot, outcome: RequestOutcome, atMs: number): Promise<void>
}

export interface UsageMeterDeps {
  usage: Metering
  /** Runs the function when this turn of the event loop is over: `setImmediate`. */
  endOfTurn: (run: () => void) => void
  /** A batch was committed, or could not be. */
  onBatch?: (batch: BatchReport) => void
}

/** One batch that was handed to the store. */
export interface BatchReport {
  /** Requests and settlements in it. */
  size: number
  durationMs: number
  isCommitted: boolean
}

interface Waiting<Member, Result> {
  member: Member
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export function createUsageMeter({ usage, endOfTurn, onBatch = () => {} }: UsageMeterDeps): UsageMeter {
  let requests: Waiting<SlotRequest, SlotResult>[] = []
  let settlements: Waiting<Settlement, void>[] = []
  let isBusy = false

  async function writeBatch() {
    const [taking, settling] = [requests, settlements]
    requests = []
    settlements = []
    const startedAt = performance.now()
    let isCommitted = false
    try {
      const results = await usage.apply({
        requests: taking.map(({ member }) => member),
        settlements: settling.map(({ member }) => member),
      })
      isCommitted = true
      for (const [i, { resolve }] of taking.entries()) resolve(results[i]!)
      for (const { resolve } of settling) resolve()
    } catch (error) {
      for (const { reject } of [...taking, ...settling]) reject(error)
    }
    onBatch({ size: taking.length + settling.length, durationMs: performance.now() - startedAt, isCommitted })
    isBusy = false
    if (requests.length + settlements.length > 0) schedule()
  }

  function schedule() {
    if (isBusy) return
    isBusy = true
    endOfTurn(() => void writeBatch())
  }

  function wait<Member, Result>(queue: Waiting<Member, Result>[], member: Member): Promise<Result> {
    if (requests.length + settlements.length >= MAX_WAITING) {
      return Promise.reject(new Error(`${MAX_WAITING} requests wait for the usage store already`))
    }
    return new Promise((resolve, reject) => {
      queue.push({ member, resolve, reject })
      schedule()
    })
  }

  return {
    charge: (slot, limit, atMs) => wait(requests, { slot, limit, chargedAtMs: atMs }),
    reserve: (slot, limit) => wait(requests, { slot, limit, chargedAtMs: null }),
    settle: (slot, outcome, atMs) => wait(settlements, { slot, outcome, atMs }),
  }
}
