import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { is, Param, Placeholder } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

/** `$client` is the database itself. */
export type DrizzleDatabase = BunSQLiteDatabase & { $client: Database }

type Values = Readonly<Record<string, unknown>>

/**
 * Returns a function that prepares a query of drizzle, with a placeholder for each value, which SQLite then runs
 * directly. For the statements of every request, because drizzle's prepared statements inspect each parameter and column
 * at each run. Rows have the column names of the database.
 */
export function compilerOf(db: DrizzleDatabase) {
  return <Row>(query: { toSQL(): { sql: string; params: unknown[] } }) => {
    const { sql, params } = query.toSQL()
    const statement = db.$client.query<Row, SQLQueryBindings[]>(sql)
    const binders = params.map(binderOf)
    const bind = (values: Values) => binders.map((binder) => binder(values) as SQLQueryBindings)
    return {
      run: (values: Values): void => void statement.run(...bind(values)),
      get: (values: Values): Row | null => statement.get(...bind(values)),
      all: (values: Values): Row[] => statement.all(...bind(values)),
    }
  }
}

/** Returns a function that reads a parameter from the values. */
function binderOf(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { name } = param.value
    return (values) => param.encoder.mapToDriverValue(values[name])
  }
  return () => param
}
