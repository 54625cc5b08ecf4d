import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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
