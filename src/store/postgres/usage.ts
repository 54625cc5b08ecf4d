import { StoreError } from '../../core/store-fault.ts'
import type { QuotaResult, Usage, UsageBatch } from '../../core/usage/ports.ts'
import { type BatchEffect, type BatchRows, resultsOf, rowsOf } from '../sql/usage-batch.ts'
import { sqlDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
import { sqlUsageHistory } from '../sql/usage-history.ts'
import { postgresDialect } from './dialect.ts'
import { type Pool, retryRolledBack } from './pool.ts'
import { isUndone } from './store-error.ts'
import { applyBatch, createMonths, extendLease, takeBatchEffect, undoBatch, voidBatch } from './usage-statements.ts'
import * as schema from './usage-schema.ts'

/** The second attempt succeeds unless a user is deleted at that moment. */
const MAX_ATTEMPTS = 5

/** A batch whose connection was lost before the server confirmed it. */
interface Unconfirmed {
  batch: number
  rows: BatchRows
}

/**
 * Applies batches one after the other, each in one statement. The same statement records the number of the batch. After
 * a lost connection, the process can therefore find out whether its batch was applied. An applied batch is then undone,
 * because its callers have already received an error.
 */
function postgresMetering({ db, withDeadline }: Pick<Pool, 'db' | 'withDeadline'>, processId: string) {
  let batch = 0
  let unconfirmed: Unconfirmed | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function confirm({ batch: number, rows }: Unconfirmed) {
    const id = { processId, batch: number }
    await db.execute(voidBatch(id))
    await db.transaction(async (tx) => {
      const [taken] = await tx.execute<{ effect: string }>(takeBatchEffect(id))
      if (!taken) return
      const effect = JSON.parse(taken.effect) as BatchEffect
      for (const statement of undoBatch(rows, effect, processId)) await tx.execute(statement)
    })
    unconfirmed = null
  }

  async function applyRows(rows: BatchRows): Promise<QuotaResult[]> {
    if (unconfirmed) await confirm(unconfirmed)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const id = { processId, batch: batch + 1 }
      unconfirmed = { batch: id.batch, rows }
      const [applied] = await db.execute<{ effect: string }>(applyBatch(rows, id)).catch((error: unknown) => {
        if (isUndone(error)) unconfirmed = null
        else batch++
        throw error
      })
      unconfirmed = null
      if (applied) {
        batch++
        return resultsOf(rows, (JSON.parse(applied.effect) as BatchEffect).runs)
      }
      await db.execute(extendLease(id))
      await db.execute(createMonths(rows))
    }
    throw new StoreError('timed_out', { cause: new Error(`a batch was not applied in ${MAX_ATTEMPTS} attempts`) })
  }

  return {
    apply(usage: UsageBatch): Promise<readonly QuotaResult[]> {
      if (usage.requests.length + usage.settlements.length === 0) return Promise.resolve([])
      const rows = rowsOf(usage)
      // The deadline includes waiting for the previous batch.
      return withDeadline((isAwaited) => {
        const applied = last.then(async () => {
          if (!isAwaited()) return []
          const results = await retryRolledBack(() => applyRows(rows), isAwaited)
          // The deadline had passed, so the callers have already received an error.
          if (!isAwaited()) unconfirmed = { batch, rows }
          return results
        })
        last = applied.catch(() => {})
        return applied
      })
    },
    /** Confirms the last batch, because no further batch follows. Without a connection, the batch stays unconfirmed. */
    async [Symbol.asyncDispose]() {
      const confirmed = withDeadline(() => last.then(() => unconfirmed && confirm(unconfirmed)))
      await confirmed.catch(() => {})
    },
  }
}

/** @param processId identifies the reservations of this process */
export function postgresUsage(pool: Pool, processId: string): Usage & AsyncDisposable {
  const dialect = postgresDialect(pool.db, schema)
  const deletedAccounts = sqlDeletedAccountUsage(dialect, [schema.usageReservations])
  return { ...postgresMetering(pool, processId), ...pool.guard({ ...sqlUsageHistory(dialect), ...deletedAccounts }) }
}
