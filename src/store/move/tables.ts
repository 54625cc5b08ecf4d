import { type Column, getTableColumns, getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'

import * as targetSchema from '../postgres/schema.ts'
import * as targetUsageSchema from '../postgres/usage-schema.ts'
import { searchTextOf } from '../sql/users.ts'
import * as sourceSchema from '../sql/tables.ts'
import * as sourceUsageSchema from '../sql/usage-tables.ts'

type Value = string | number | boolean | null | readonly string[]

/** A row by property name of the schema, which is the same in both databases. */
export type Row = Record<string, Value>

/** The values of the primary key. */
export type Key = readonly (string | number | null)[]

/** A table of the SQLite database and its counterpart in PostgreSQL. */
export interface MovedTable {
  name: string
  source: SQLiteTable
  target: PgTable
  /** The properties of the primary key. */
  key: readonly string[]
  /** The properties that are compared after the move: all those of the target. */
  columns: readonly string[]
  /** The row as it is stored in PostgreSQL. */
  convert(row: Row): Row
}

/**
 * Tables that are not copied: the row that `/readyz` writes, and the request log, which is deleted after a week. Cached
 * results and rendered hosts are in another file and are not copied either, because they expire.
 */
export const NOT_MOVED: readonly string[] = [sourceSchema.probe, sourceSchema.requestLog].map((table) =>
  getTableName(table),
)

/** Columns that only PostgreSQL has, by table. */
export const DERIVED: Readonly<Record<string, (row: Row) => Row>> = {
  users: ({ email, name }) => ({
    searchText: searchTextOf(String(email), name === null || name === undefined ? null : String(name)),
  }),
}

/**
 * Every table of the SQLite schema except `NOT_MOVED`, each after those that it references.
 * @throws Error when a table or column is missing in the schema of PostgreSQL
 */
export function movedTables(): MovedTable[] {
  const targets = new Map(targetTables().map((table) => [getTableName(table), table]))
  return inOrder(sourceTables()).map((source) => {
    const name = getTableName(source)
    const target = targets.get(name)
    const columns = Object.keys(target ? getTableColumns(target) : {})
    const missing = Object.keys(getTableColumns(source)).filter((column) => !columns.includes(column))
    if (!target || missing.length > 0) throw new Error(`PostgreSQL has no ${name} (${missing.join(', ')})`)
    return { name, source, target, key: keyOf(source), columns, convert: (row) => convert(name, row) }
  })
}

/** All tables of an installation on PostgreSQL. */
export function targetTables(): PgTable[] {
  return [targetSchema, targetUsageSchema].flatMap((schema) =>
    Object.values(schema).filter((exported): exported is PgTable => is(exported, PgTable)),
  )
}

function sourceTables(): SQLiteTable[] {
  return [sourceSchema, sourceUsageSchema]
    .flatMap((schema) => Object.values(schema).filter((exported): exported is SQLiteTable => is(exported, SQLiteTable)))
    .filter((table) => !NOT_MOVED.includes(getTableName(table)))
}

/** Each table after those that its foreign keys reference. */
function inOrder(tables: readonly SQLiteTable[]): SQLiteTable[] {
  const ordered = new Set<SQLiteTable>()
  const add = (table: SQLiteTable) => {
    for (const { reference } of getTableConfig(table).foreignKeys) {
      const { foreignTable } = reference()
      if (foreignTable !== table) add(foreignTable as SQLiteTable)
    }
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

function keyOf(table: SQLiteTable): string[] {
  const { primaryKeys } = getTableConfig(table)
  const isInKey = (column: Column) =>
    column.primary || primaryKeys.some(({ columns }) => columns.some(({ name }) => name === column.name))
  return Object.entries(getTableColumns(table))
    .filter(([, column]) => isInKey(column))
    .map(([property]) => property)
}

function convert(table: string, row: Row): Row {
  const derived = DERIVED[table]?.(row) ?? {}
  return Object.fromEntries(Object.entries({ ...row, ...derived }).map(([name, value]) => [name, storable(value)]))
}

/** PostgreSQL text cannot contain U+0000. The PostgreSQL stores replace it in the same way. */
function storable(value: Row[string]): Row[string] {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}
