import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'

import { checkpoint, walBytes } from '../../src/store/sqlite/checkpoint.ts'
import { idOfFiles } from '../../src/store/sqlite/wal-files.ts'
import { temporaryDatabase } from './temporary-sqlite.ts'

/** Smaller than a log with the rows of a test, larger than one with a single page. */
const SMALL_BYTES = 10_000

test.each<[name: string, isLocked: boolean]>([
  ['empties the write-ahead log', false],
  ['leaves it while another connection holds the write lock', true],
])('a checkpoint %s', (_, isLocked) => {
  const path = temporaryDatabase()
  using database = new Database(path)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE rows (text TEXT)')
  database.run('INSERT INTO rows VALUES (?)', ['x'.repeat(2 * SMALL_BYTES)])
  if (isLocked) database.run('BEGIN IMMEDIATE')
  checkpoint({ path, fileId: idOfFiles(path) })
  expect(walBytes(path) < SMALL_BYTES).toBe(!isLocked)
  if (isLocked) database.run('ROLLBACK')
  expect(database.query('SELECT length(text) AS length FROM rows').get()).toEqual({ length: 2 * SMALL_BYTES })
})
