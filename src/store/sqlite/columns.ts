import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** The kinds of columns that tables have, and their keys and indexes. */
export const sqliteColumns = {
  table: sqliteTable,
  text,
  int: integer,
  bool: (name: string) => integer(name, { mode: 'boolean' }),
  /** A JSON array of text. */
  json: (name: string) => text(name, { mode: 'json' }).$type<readonly string[]>(),
  /** Unix milliseconds. */
  time: (name: string) => integer(name),
  /** The primary key of a table whose rows are numbered in the order in which they were written. */
  sequence: () => integer().primaryKey(),
  primaryKey,
  index,
  uniqueIndex,
  check,
}

export type Columns = typeof sqliteColumns
