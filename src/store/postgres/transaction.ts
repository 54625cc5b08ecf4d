import type { Drizzle } from './schema.ts'

/**
 * Runs the steps as if no other transaction ran at the same time. When that is impossible, the server ends one of the
 * transactions that are in each other's way; `retryConflicts` in pool.ts runs it again.
 */
export function serializable<T>(db: Drizzle, steps: (tx: Drizzle) => Promise<T>): Promise<T> {
  return db.transaction(steps, { isolationLevel: 'serializable' })
}
