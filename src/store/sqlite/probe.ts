import { Database } from 'bun:sqlite'
import { open } from 'node:fs/promises'

import { getTableName } from 'drizzle-orm'

import { tables } from './schema.ts'
import * as usageTables from './usage-schema.ts'

const TABLES = Object.values({ ...tables, ...usageTables }).map((table) => getTableName(table))

/**
 * Checks the database at `path`: a new connection, which has no page in memory, reads the first row of every table and
 * writes one row, which must reach the disk. A full disk, a deleted directory, missing or overwritten tables and a lock
 * held by another process fail here as they fail for requests.
 */
export async function probe(path: string): Promise<void> {
  // No `create`, because a deleted file must not be replaced by an empty file.
  using database = new Database(path, { readwrite: true, create: false, strict: true })
  // A restored database is in WAL mode only after a server or a command has opened it.
  database.run('PRAGMA journal_mode = WAL')
  // Otherwise the event loop would wait for the disk.
  database.run('PRAGMA synchronous = NORMAL')
  database.run('PRAGMA wal_autocheckpoint = 0')
  for (const name of TABLES) database.query(`SELECT * FROM ${name} LIMIT 1`).get()
  database.run('INSERT INTO probe (id, at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1', [Date.now()])
  await using log = await open(`${path}-wal`)
  await log.sync()
}
