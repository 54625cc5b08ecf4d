import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { tables as targets } from '../postgres/schema.ts'
import * as targetUsage from '../postgres/usage-schema.ts'
import { tables as sources } from '../sqlite/schema.ts'
import * as sourceUsage from '../sqlite/usage-schema.ts'

type Value = string | number | boolean | null | readonly string[]

/** A row by property name of the schema, which is the same in both databases. */
export type Row = Record<string, Value>

/** A table of the SQLite database and its counterpart in PostgreSQL. */
export interface MovedTable {
  name: string
  source: SQLiteTable
  target: PgTable
  /** All properties, which are compared after the move. */
  columns: readonly string[]
}

/**
 * Tables that are not copied: the row that `/readyz` writes, and the request log, which is deleted after a week. Cached
 * results and rendered hosts are in another file and are not copied either, because they expire.
 */
export const NOT_MOVED: readonly string[] = [sources.probe, sources.requestLog].map((table) => getTableName(table))

/** Every table of the SQLite schema except `NOT_MOVED`, each after the tables that it references. */
export function movedTables(): MovedTable[] {
  const targetByName = new Map(targetTables().map((table) => [getTableName(table), table]))
  const moved = Object.values({ ...sources, ...sourceUsage }).filter(
    (table) => !NOT_MOVED.includes(getTableName(table)),
  )
  return inOrder(moved).map((source) => {
    const name = getTableName(source)
    return { name, source, target: targetByName.get(name)!, columns: Object.keys(getTableColumns(source)) }
  })
}

/** All tables of an installation on PostgreSQL. */
export function targetTables(): PgTable[] {
  return Object.values<unknown>({ ...targets, ...targetUsage }) as PgTable[]
}

/** Each table after the tables that its foreign keys reference. */
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

/** A row as PostgreSQL stores it: its text cannot contain U+0000, which its stores replace in the same way. */
export function storable(row: Row): Row {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
  ])
  return Object.fromEntries(values) as Row
}
