import { createHash } from 'node:crypto'

import { type SQL, sql, type SQLChunk } from 'drizzle-orm'

import journal from '../../../drizzle/sqlite/meta/_journal.json'
import { BATCH_ROWS, columnsByName, EXPORTED_TABLES, type ExportedTable, type Row, type Transaction } from './tables.ts'

/** The version of the format. */
export const EXPORT_FORMAT = 1

/** The name of the latest migration of SQLite, which stands for the tables and columns of both databases. */
export const SCHEMA = journal.entries.at(-1)!.tag

/** The first line of an export. */
export interface ExportHeader {
  urlmeta_export: number
  /** The version of urlmeta that wrote the export. */
  version: string
  schema: string
  database: Transaction['kind']
  /** ISO 8601. */
  exported_at: string
}

/** The last line of an export. */
export interface ExportEnd {
  /** The number of rows by table. */
  rows: Record<string, number>
  /** The SHA-256 of all lines before this one, in hexadecimal. */
  sha256: string
}

/**
 * The text of an export in lines of JSON: an `ExportHeader`, a `{ table, row }` for each row, and an `ExportEnd`.
 * @param onRows called after each batch with the number of exported rows and the number of all rows; an error that it
 * throws ends the export
 * @throws StoreError
 */
export async function* exportText(
  source: Transaction,
  { version, exportedAtMs }: { version: string; exportedAtMs: number },
  onRows: (done: number, total: number) => void,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  function textOf(lines: readonly object[]): string {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    hash.update(text)
    return text
  }
  const tables = await Array.fromAsync(EXPORTED_TABLES, async (table) => {
    return { table, count: await source.call(source.db.$count(table.in[source.kind])) }
  })
  const total = tables.reduce((sum, { count }) => sum + count, 0)
  const header: ExportHeader = {
    urlmeta_export: EXPORT_FORMAT,
    version,
    schema: SCHEMA,
    database: source.kind,
    exported_at: new Date(exportedAtMs).toISOString(),
  }
  yield textOf([header])
  let done = 0
  for (const { table } of tables) {
    for await (const rows of batchesOf(source, table)) {
      yield textOf(rows.map((row) => ({ table: table.name, row })))
      onRows((done += rows.length), total)
    }
  }
  const rows = Object.fromEntries(tables.map(({ table, count }) => [table.name, count]))
  const end: ExportEnd = { rows, sha256: hash.digest('hex') }
  yield `${JSON.stringify(end)}\n`
}

/** All rows of a table, in the order of its primary key. The last batch may be empty. */
async function* batchesOf({ kind, db, call }: Transaction, { in: tables, key }: ExportedTable): AsyncGenerator<Row[]> {
  const columns = columnsByName(tables[kind])
  const keyColumns = key.map((name) => columns[name]!)
  const list = (parts: SQLChunk[]) => sql`(${sql.join(parts, sql`, `)})`
  let isNext: SQL | undefined
  for (;;) {
    const selection = db.select(columns).from(tables[kind]).where(isNext)
    const rows = await call(selection.orderBy(...keyColumns).limit(BATCH_ROWS))
    yield rows
    const last = rows[BATCH_ROWS - 1]
    if (last === undefined) return
    isNext = sql`${list(keyColumns)} > ${list(key.map((name) => sql.param(last[name])))}`
  }
}
