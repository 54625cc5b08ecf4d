import type {
  Metering,
  RequestOutcome,
  Settlement,
  QuotaUnit,
  QuotaRequest,
  QuotaResult,
} from '../../core/usage/ports.ts'

/**
 * The maximum number of requests and settlements that wait for the store. It is only reached when the store is locked
 * or very slow.
 */
const MAX_WAITING = 20_000

/**
 * Meters single requests in batches. The requests of one turn of the event loop share a transaction, because that takes
 * hardly longer than a transaction for a single request. While a batch is being written, the next one is collected.
 *
 * Each promise resolves when its batch is durable. It rejects when the batch failed or too many requests are waiting.
 */
export type UsageMeter = ReturnType<typeof createUsageMeter>

export interface UsageMeterDeps {
  usage: Metering
  /** Runs the function at the end of this turn of the event loop: `setImmediate`. */
  endOfTurn: (run: () => void) => void
  /** Called after each batch, whether it was committed or failed. */
  onBatch?: (batch: BatchReport) => void
}

/** A batch that was committed or failed. */
export interface BatchReport {
  /** The number of requests and settlements. */
  size: number
  durationMs: number
  isCommitted: boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export function createUsageMeter({ usage, endOfTurn, onBatch = () => {} }: UsageMeterDeps) {
  let requests: Waiting<QuotaRequest, QuotaResult>[] = []
  let settlements: Waiting<Settlement, void>[] = []
  let isBusy = false

  async function writeBatch() {
    const [batchRequests, batchSettlements] = [requests, settlements]
    requests = []
    settlements = []
    const startedAt = performance.now()
    let isCommitted = false
    try {
      const results = await usage.apply({
        requests: batchRequests.map(({ item }) => item),
        settlements: batchSettlements.map(({ item }) => item),
      })
      isCommitted = true
      for (const [i, { resolve }] of batchRequests.entries()) resolve(results[i]!)
      for (const { resolve } of batchSettlements) resolve()
    } catch (error) {
      for (const { reject } of [...batchRequests, ...batchSettlements]) reject(error)
    }
    onBatch({
      size: batchRequests.length + batchSettlements.length,
      durationMs: performance.now() - startedAt,
      isCommitted,
    })
    isBusy = false
    if (requests.length + settlements.length > 0) schedule()
  }

  function schedule() {
    if (isBusy) return
    isBusy = true
    endOfTurn(() => void writeBatch())
  }

  function wait<Item, Result>(queue: Waiting<Item, Result>[], item: Item): Promise<Result> {
    if (requests.length + settlements.length >= MAX_WAITING) {
      return Promise.reject(new Error(`${MAX_WAITING} requests are already waiting for the usage store`))
    }
    return new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      schedule()
    })
  }

  return {
    /** Takes a unit for a result that is already available, and counts it. No settlement follows. */
    charge: (unit: QuotaUnit, limit: number, atMs: number) => wait(requests, { unit, limit, chargedAtMs: atMs }),
    /** Reserves a unit for work; `settle` records how it ended. */
    reserve: (unit: QuotaUnit, limit: number) => wait(requests, { unit, limit, chargedAtMs: null }),
    /** Records how a reserved unit ended. Must be called once per unit. */
    settle: (unit: QuotaUnit, outcome: RequestOutcome, atMs: number) => wait(settlements, { unit, outcome, atMs }),
  }
}
