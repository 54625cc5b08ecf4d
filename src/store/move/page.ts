import { asc, type Column, getTableColumns, sql, type SQL, type Table } from 'drizzle-orm'

import type { Key, MovedTable, Row } from './tables.ts'

/** Rows read or written by one statement, to bound memory and keep transactions short. */
export const COPY_BATCH_ROWS = 500

/** The order of the primary key in one of the two databases, and the condition for rows after a key. */
export function keyOrder(
  table: Table,
  { key }: MovedTable,
  after: Key | null,
): { order: SQL[]; where: SQL | undefined } {
  const all: Record<string, Column> = getTableColumns(table)
  const columns = key.map((property) => all[property]!)
  const values = after?.map((value) => sql`${value}`)
  return {
    order: columns.map((column) => asc(column)),
    where: values && sql`(${sql.join(columns, sql`, `)}) > (${sql.join(values, sql`, `)})`,
  }
}

export function keyOf({ key }: MovedTable, row: Row): Key {
  return key.map((property) => row[property] as Key[number])
}

/** All rows of a table, page by page. */
export async function* pagesOf(
  table: MovedTable,
  readPage: (table: MovedTable, after: Key | null) => readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Key | null = null; ;) {
    const page = await readPage(table, last)
    if (page.length === 0) return
    yield page
    last = keyOf(table, page.at(-1)!)
  }
}
