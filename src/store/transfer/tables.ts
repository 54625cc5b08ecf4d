import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { tables as postgresTables } from '../postgres/schema.ts'
import * as postgresUsage from '../postgres/usage-schema.ts'
import type { Drizzle } from '../sql/dialect.ts'
import { tables as sqliteTables } from '../sqlite/schema.ts'
import * as sqliteUsage from '../sqlite/usage-schema.ts'

/** All tables of each database, each after the tables that it references. */
export const ALL_TABLES = {
  SQLite: Object.values<SQLiteTable>({ ...sqliteTables, ...sqliteUsage }),
  // With the types of SQLite, as `Drizzle` in `sql/dialect.ts`.
  PostgreSQL: Object.values<unknown>({ ...postgresTables, ...postgresUsage }) as SQLiteTable[],
} as const

/**
 * Tables that are not exported: the row that `/readyz` writes, and the request log, whose rows are deleted after a
 * week. PostgreSQL has more tables that are not exported: cached results, rendered hosts, and reservations of running
 * processes, all of which expire.
 */
export const NOT_EXPORTED: readonly string[] = [sqliteTables.probe, sqliteTables.requestLog].map(getTableName)

/** A row by column name. */
export type Row = Record<string, unknown>

/** A table that both databases have, with the same columns. */
export interface ExportedTable {
  name: string
  in: Record<keyof typeof ALL_TABLES, SQLiteTable>
  /** The columns in SQLite, whose types show which values are allowed. */
  columns: readonly SQLiteColumn[]
  /** The names of the columns of the primary key. */
  key: readonly string[]
}

/** Every table of SQLite except `NOT_EXPORTED`, in the order of `ALL_TABLES`. */
export const EXPORTED_TABLES: readonly ExportedTable[] = ALL_TABLES.SQLite.map((table) => {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  const inPostgres = ALL_TABLES.PostgreSQL.find((other) => getTableName(other) === name)!
  return { name, in: { SQLite: table, PostgreSQL: inPostgres }, columns, key: key.map((column) => column.name) }
}).filter(({ name }) => !NOT_EXPORTED.includes(name))

/** The columns of a table by name, for a selection that returns `Row`s. */
export function columnsByName(table: SQLiteTable): Record<string, SQLiteColumn> {
  return Object.fromEntries(Object.values(getTableColumns(table)).map((column) => [column.name, column]))
}

/** A transaction in an open database. Disposing it before it is committed undoes all changes. */
export interface Transaction {
  kind: keyof typeof ALL_TABLES
  db: Drizzle
  /** Waits for a statement. @throws StoreError, and other errors of the database */
  call<T>(statement: PromiseLike<T>): Promise<T>
  /** The row as this database will store it. */
  storable(row: Row): Row
  commit(): Promise<unknown>
}

/** The number of rows that one statement reads or writes, which bounds memory and the length of statements. */
export const BATCH_ROWS = 500
