import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'

import { exportText, SCHEMA } from '../../../src/store/transfer/export.ts'
import { openSqliteTransaction } from '../../../src/store/transfer/sqlite.ts'
import type { Transaction } from '../../../src/store/transfer/tables.ts'
import { fixtureOf } from '../database-fixtures.ts'
import { temporaryDatabase } from '../temporary-sqlite.ts'

/** Creates a SQLite database with the sample rows in every table, and runs the statements. Returns its path. */
export function sampleDatabase(...statements: string[]): string {
  const path = temporaryDatabase()
  using database = new Database(path)
  // As a server sets it: readers and the writer do not wait for each other.
  database.run('PRAGMA journal_mode = WAL')
  for (const sql of [readFileSync(fixtureOf('sqlite', SCHEMA), 'utf8'), ...statements]) database.run(sql)
  return path
}

/** Adds rows of daily usage. */
export const manyDays = (rows: number) => `
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${rows})
  INSERT INTO daily_usage SELECT 'u' || (i / 350), CASE i % 350 / 150 WHEN 0 THEN '' ELSE 'ключ' || (i % 350 / 150) END,
    'day' || (i % 350), i, 0, 0, i FROM n WHERE ${rows} > 0`

export const exportOf = (source: Transaction, onRows: (done: number, total: number) => void = () => {}) =>
  exportText(source, { version: '1.2.3', exportedAtMs: Date.UTC(2026, 10, 20) }, onRows)

/** The lines of an export of the database at `path`, without the empty text after the last one. */
export async function exportedLines(path: string): Promise<string[]> {
  using source = openSqliteTransaction(path, 'export')
  return (await Array.fromAsync(exportOf(source))).join('').trimEnd().split('\n')
}
