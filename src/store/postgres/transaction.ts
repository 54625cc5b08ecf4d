import type { Drizzle } from './schema.ts'

/**
 * Runs the steps in a serializable transaction. If it conflicts with another one, the server aborts one of them, and
 * `retryConflicts` in pool.ts retries it.
 */
export function serializable<T>(db: Drizzle, steps: (tx: Drizzle) => Promise<T>): Promise<T> {
  return db.transaction(steps, { isolationLevel: 'serializable' })
}
