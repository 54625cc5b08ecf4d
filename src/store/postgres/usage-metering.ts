import { StoreError } from '../../core/store-fault.ts'
import type { Metering, SlotResult, UsageBatch } from '../../core/usage-ports.ts'
import { type Pool, retryConflicts } from './pool.ts'
import { isUndone } from './store-error.ts'
import { type BatchRows, resultsOf, rowsOf } from './usage-batch.ts'
import {
  applyBatch,
  type BatchEffect,
  createMonths,
  extendLease,
  takeEffect,
  undoBatch,
  voidBatch,
} from './usage-statements.ts'

/** A batch is applied by the second try, unless a user is deleted at that moment. */
const MAX_TRIES = 5

/** A batch whose connection was lost before the server confirmed it. */
interface Unconfirmed {
  batch: number
  rows: BatchRows
}

/**
 * Meters one batch after the other, each in one statement. Batches are numbered, and the server notes the number of the
 * last one in the same statement, so that after a lost connection the process can find out whether its batch was
 * applied; it is undone then, since its callers were told that it failed.
 */
export function postgresMetering({ db, withDeadline }: Pick<Pool, 'db' | 'withDeadline'>, processId: string): Metering {
  let batch = 0
  let unconfirmed: Unconfirmed | null = null
  let last: Promise<unknown> = Promise.resolve()

  const rowsFrom = async (statement: ReturnType<typeof applyBatch>) =>
    (await db.execute(statement)) as unknown as { effect: string }[]

  async function confirm({ batch: number, rows }: Unconfirmed) {
    const id = { processId, batch: number }
    await rowsFrom(voidBatch(id))
    await db.transaction(async (tx) => {
      const [taken] = (await tx.execute(takeEffect(id))) as unknown as { effect: string }[]
      if (!taken) return
      for (const statement of undoBatch(rows, JSON.parse(taken.effect) as BatchEffect, processId)) {
        await tx.execute(statement)
      }
    })
    unconfirmed = null
  }

  async function applyRows(rows: BatchRows): Promise<SlotResult[]> {
    if (unconfirmed) await confirm(unconfirmed)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const id = { processId, batch: batch + 1 }
      unconfirmed = { batch: id.batch, rows }
      const [applied] = await rowsFrom(applyBatch(rows, id)).catch((error: unknown) => {
        if (isUndone(error)) unconfirmed = null
        else batch++
        throw error
      })
      unconfirmed = null
      if (applied) {
        batch++
        return resultsOf(rows, (JSON.parse(applied.effect) as BatchEffect).runs)
      }
      await rowsFrom(extendLease(id))
      await rowsFrom(createMonths(rows))
    }
    throw new StoreError('timed_out', { cause: new Error(`a batch was not applied in ${MAX_TRIES} tries`) })
  }

  return {
    apply(usage: UsageBatch) {
      if (usage.requests.length + usage.settlements.length === 0) return Promise.resolve([])
      const rows = rowsOf(usage)
      const previous = last
      let isRefused = false
      const applied = previous.then(async () => {
        const results = await retryConflicts(() => applyRows(rows))
        // The deadline had passed, and the callers were told that it failed.
        if (isRefused) unconfirmed = { batch, rows }
        return results
      })
      last = applied.catch(() => {})
      // Waiting for earlier batches is not part of the deadline.
      return previous
        .then(() => withDeadline(() => applied))
        .catch((error: unknown) => {
          isRefused = true
          throw error
        })
    },
  }
}
