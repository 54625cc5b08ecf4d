import type { Database } from 'bun:sqlite'
import { inArray, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { Dialect, Steps } from '../sql/dialect.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'

/**
 * `$client` is the database itself. It runs the statements of every request, which it prepares once: drizzle inspects
 * each parameter and column at each run, also of a prepared statement.
 */
export type DrizzleDatabase = BunSQLiteDatabase & { $client: Database }

/** The parameters of a statement by name. */
export type Values = Record<string, string | number | null>

export function sqliteDialect<Tables>(db: BunSQLiteDatabase, tables: Tables): Dialect<Tables> {
  // The transaction takes the write lock at its start.
  const atomically: Dialect<Tables>['atomically'] = async (steps) =>
    db.transaction((tx) => complete(steps(tx)), { behavior: 'immediate' })
  return {
    db,
    tables,
    atomically,
    withLocks: atomically,
    // The transaction has already locked the database for other writers.
    lockRows: (select) => select,
    sweep(table, isOld) {
      const rowid = sql`${table}.rowid`
      const old = db.select({ rowid }).from(table).where(isOld).limit(STEP_ROWS)
      const deletion = db.delete(table).where(inArray(rowid, old))
      return inSteps(() => deletion.returning({ one: sql`1` }).all().length)
    },
    isAmong(column, values) {
      const json = Array.isArray(values) ? JSON.stringify(values) : values
      return sql`${column} IN (SELECT value FROM json_each(${json}))`
    },
    contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
  }
}

/** Runs the statements one after the other without waiting, so that the event loop runs nothing in between. */
function complete<T>(steps: Steps<T>): T {
  let step = steps.next()
  // Every statement of drizzle for SQLite has a synchronous `all`.
  while (!step.done) step = steps.next((step.value as unknown as { all(): unknown }).all())
  return step.value
}
