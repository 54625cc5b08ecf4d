import { getTableColumns, getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { storable } from '../postgres/pool.ts'
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

/** Every table of the SQLite schema except `NOT_MOVED`. The schema has each table after the tables that it references. */
export function movedTables(): MovedTable[] {
  const targetByName = new Map(targetTables().map((table) => [getTableName(table), table]))
  return Object.values({ ...sources, ...sourceUsage })
    .map((source) => {
      const name = getTableName(source)
      return { name, source, target: targetByName.get(name)!, columns: Object.keys(getTableColumns(source)) }
    })
    .filter(({ name }) => !NOT_MOVED.includes(name))
}

/** All tables of an installation on PostgreSQL. */
export function targetTables(): PgTable[] {
  return Object.values<unknown>({ ...targets, ...targetUsage }) as PgTable[]
}

/** A row as PostgreSQL stores it: its text cannot contain U+0000, which its stores replace in the same way. */
export function storableRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, storable(value)])) as Row
}
