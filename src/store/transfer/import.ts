import { getTableColumns, getTableName } from 'drizzle-orm'

import { tables as sqliteTables } from '../sqlite/schema.ts'
import { readExport } from './read-export.ts'
import {
  ALL_TABLES,
  BATCH_ROWS,
  columnsByName,
  EXPORTED_TABLES,
  type ExportedTable,
  type Row,
  type Transaction,
} from './tables.ts'

/**
 * Writes an export into an empty database in batches, but does not commit. Each row is compared with the row that the
 * database has stored. Returns the number of rows of each table.
 * @param onBatch called after each batch; an error that it throws ends the import
 * @throws Error if the database has rows, if the text is not a complete export, or if a stored row differs; StoreError
 */
export async function importText(text: AsyncIterable<string>, target: Transaction, onBatch: () => void) {
  await requireEmpty(target)
  const counts = new Map(EXPORTED_TABLES.map((table) => [table, 0]))
  for await (const { table, rows } of batchesOf(text)) {
    const storable = rows.map(target.storable)
    const stored = await write(target, table, storable)
    if (textOf(table, stored) !== textOf(table, storable)) {
      const how = `the rows of ${table.name} differ in ${target.kind}`
      throw new Error(`${how}. Make sure that no server uses that database, and try again`)
    }
    counts.set(table, counts.get(table)! + rows.length)
    onBatch()
  }
  return [...counts].map(([{ name }, rows]) => ({ name, rows }))
}

/** @throws Error if any table has a row, except the table that `/readyz` writes to */
async function requireEmpty({ kind, db, call }: Transaction): Promise<void> {
  const used: string[] = []
  for (const table of ALL_TABLES[kind]) {
    if (getTableName(table) === getTableName(sqliteTables.probe)) continue
    const found = await call(db.select().from(table).limit(1))
    if (found.length > 0) used.push(getTableName(table))
  }
  if (used.length > 0) throw new Error(`it has data (${used.toSorted().join(', ')}); use an empty database`)
}

interface Batch {
  table: ExportedTable
  rows: Row[]
}

/** The rows of an export, in batches of one table. */
async function* batchesOf(text: AsyncIterable<string>): AsyncGenerator<Batch> {
  let batch: Batch = { table: EXPORTED_TABLES[0]!, rows: [] }
  for await (const { table, row } of readExport(text)) {
    if (batch.table !== table || batch.rows.length === BATCH_ROWS) {
      if (batch.rows.length > 0) yield batch
      batch = { table, rows: [] }
    }
    batch.rows.push(row)
  }
  if (batch.rows.length > 0) yield batch
}

/** Inserts the rows, and returns the stored rows in any order. */
async function write({ kind, db, call }: Transaction, { in: tables }: ExportedTable, rows: Row[]): Promise<Row[]> {
  const table = tables[kind]
  const columns = Object.entries(getTableColumns(table))
  const values = rows.map((row) => Object.fromEntries(columns.map(([property, { name }]) => [property, row[name]])))
  return await call(db.insert(table).values(values).returning(columnsByName(table)))
}

/** A text that is equal for equal rows, regardless of their order. */
function textOf({ columns }: ExportedTable, rows: readonly Row[]): string {
  return rows
    .map((row) => JSON.stringify(columns.map(({ name }) => row[name])))
    .toSorted()
    .join('\n')
}
