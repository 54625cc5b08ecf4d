import { inArray, type Placeholder, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { getTableConfig, type PgColumn, type PgSelect, type PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Dialect, Drizzle as CommonDrizzle, Steps } from '../sql/dialect.ts'
import type { Drizzle } from './schema.ts'

/** Passes a value as one parameter, so that the server prepares the statement only once, for any number of rows. */
export const json = (value: unknown): SQL => sql`${JSON.stringify(value)}::text::jsonb`

export function isAmong(column: SQLWrapper, values: readonly string[] | Placeholder): SQL {
  const list = Array.isArray(values) ? json(values) : sql`${values}::text::jsonb`
  return sql`${column} IN (SELECT jsonb_array_elements_text(${list}))`
}

export function postgresDialect<Tables>(db: Drizzle, tables: Tables): Dialect<Tables> {
  return {
    db: common(db),
    tables,
    // If two transactions conflict, the server aborts one of them, and `retryRolledBack` retries it.
    atomically: (steps) => db.transaction((tx) => complete(steps(common(tx))), { isolationLevel: 'serializable' }),
    withLocks: (steps) => db.transaction((tx) => complete(steps(common(tx)))),
    lockRows(select, table, locked) {
      const options = { of: postgresTable(table), ...(locked && { skipLocked: true as const }) }
      return (select as PgSelect).for('update', options) as typeof select
    },
    sweep(swept, isOld) {
      const table = postgresTable(swept)
      const key = primaryKeyOf(table)
      const columns = Object.fromEntries(key.map((column) => [column.name, column]))
      const old = db.select(columns).from(table).where(isOld).limit(STEP_ROWS)
      const isSwept = inArray(sql`(${sql.join(key, sql`, `)})`, old)
      return inSteps(() => db.delete(table).where(isSwept).returning(columns))
    },
    isAmong,
    contains: (column, text) => sql`position(${text} in ${column}) > 0`,
  }
}

// The type conversions that `sql/dialect.ts` explains.
export const common = (db: Drizzle) => db as unknown as CommonDrizzle
const postgresTable = (table: SQLiteTable) => table as unknown as PgTable

async function complete<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next()
  while (!step.done) step = steps.next(await step.value)
  return step.value
}

function primaryKeyOf(table: PgTable): PgColumn[] {
  const { columns, primaryKeys } = getTableConfig(table)
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
}

/**
 * Rows deleted by one statement of a sweep. The statement takes a few milliseconds, so requests do not wait long for
 * row locks.
 */
export const STEP_ROWS = 500

/** Repeats a step until it deletes nothing; returns the total number of deleted rows. */
export async function inSteps(step: () => Promise<readonly unknown[]>): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await step()
    if (length === 0) return total
    total += length
  }
}
