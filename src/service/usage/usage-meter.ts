import { inBatches } from '../../core/batches.ts'
import type {
  Metering,
  RequestOutcome,
  Settlement,
  QuotaUnit,
  QuotaRequest,
  QuotaResult,
} from '../../core/usage/ports.ts'

/**
 * Meters single requests in batches. The requests of one turn of the event loop share a transaction, which takes hardly
 * longer than a transaction for a single request. While a batch is being written, the next batch is collected.
 *
 * Each promise resolves when its batch is durable, and rejects if the batch fails or too many requests are waiting.
 */
export type UsageMeter = ReturnType<typeof createUsageMeter>

export interface UsageMeterDeps {
  usage: Metering
  /** Runs the function at the end of this turn of the event loop: `setImmediate`. */
  endOfTurn: (run: () => void) => void
  /**
   * Called after each batch, whether committed or failed. `size` is the number of requests and settlements in the
   * batch.
   */
  onBatch?: (batch: { size: number; durationMs: number; isCommitted: boolean }) => void
}

export function createUsageMeter({ usage, endOfTurn, onBatch = () => {} }: UsageMeterDeps) {
  /** Returns the result of each request; null for settlements. */
  async function write(items: readonly (QuotaRequest | Settlement)[]): Promise<(QuotaResult | null)[]> {
    const startedAt = performance.now()
    let isCommitted = false
    try {
      const results = await usage.apply({
        requests: items.filter((item) => 'limit' in item),
        settlements: items.filter((item) => 'outcome' in item),
      })
      isCommitted = true
      let next = 0
      return items.map((item) => ('limit' in item ? results[next++]! : null))
    } finally {
      onBatch({ size: items.length, durationMs: performance.now() - startedAt, isCommitted })
    }
  }

  const meter = inBatches(write, endOfTurn)
  const take = (request: QuotaRequest) => meter(request) as Promise<QuotaResult>

  return {
    /** Takes a unit for a result that is already available, and counts the request. No settlement follows. */
    charge: (unit: QuotaUnit, limit: number, atMs: number) => take({ unit, limit, chargedAtMs: atMs }),
    /** Reserves a unit for work. `settle` must record the outcome of the work. */
    reserve: (unit: QuotaUnit, limit: number) => take({ unit, limit, chargedAtMs: null }),
    /** Records the outcome of a reserved unit. Must be called once per unit. */
    async settle(unit: QuotaUnit, outcome: RequestOutcome, atMs: number) {
      await meter({ unit, outcome, atMs })
    },
  }
}
