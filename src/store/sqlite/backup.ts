import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { attempt } from '../../core/attempt.ts'
import { StoreError } from '../../core/store-fault.ts'
import { replaceFile, syncToDisk } from '../files/durable-file.ts'
import { createPrivateFile } from '../files/private-file.ts'
import { pageCounts } from './database-file.ts'
import { requireKnownSchema, type SchemaState, supportedSchemaStateOf } from './migrations.ts'
import { BUSY_TIMEOUT_MS } from './retry-when-busy.ts'
import { WAL_SUFFIXES } from './wal-files.ts'
import { toStoreError } from './store-error.ts'

/**
 * Runs a function on an existing database, and closes the database. Other processes may have it open.
 * @throws StoreError
 */
function withDatabase<T>(path: string, run: (database: Database) => T): T {
  try {
    using database = new Database(path, { readwrite: true, create: false, strict: true })
    // The last process that closes the database locks it briefly, even for readers.
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return run(database)
  } catch (error) {
    throw toStoreError(error)
  }
}

/** The approximate size of a copy of the database in bytes; null when unknown. */
export function sizeOfCopy(path: string): number | null {
  const sizeOf = (database: Database) => {
    // The size is only displayed, so it is not worth waiting for.
    database.run('PRAGMA busy_timeout = 0')
    return pageCounts(database).used * Number(database.query('PRAGMA page_size').values()[0]?.[0])
  }
  return attempt(() => withDatabase(path, sizeOf)) ?? null
}

/**
 * Copies a consistent snapshot of the database at `source` to the new file `draft`, checks the copy, and renames it to
 * `target`. A server can keep writing meanwhile. Copying blocks the process for seconds, so a server must run it in
 * another process.
 * @throws StoreError
 */
export function copyDatabase(source: string, draft: string, target: string): void {
  try {
    // SQLite would create the file with the default permissions.
    createPrivateFile(draft)
    withDatabase(source, (database) => database.run('VACUUM INTO ?', [draft]))
    checkDatabase(draft)
    replaceFile(draft, target)
  } catch (error) {
    throw toStoreError(error)
  }
}

/** @throws StoreError, also for a database of a newer version or of another program */
export function schemaOf(path: string): SchemaState {
  return withDatabase(path, supportedSchemaStateOf)
}

/**
 * Reads the whole database and compares every index with its table. Returns numbers by which a user can recognize a
 * backup.
 * @throws StoreError if the database is damaged, or was not written by this version or an earlier one
 */
export function checkDatabase(path: string): { users: number; keys: number } {
  return withDatabase(path, (database) => {
    // Checked before anything else is read, because a view can be endless.
    requireKnownSchema(database)
    const [verdict] = database.query('PRAGMA integrity_check(1)').values()[0] ?? []
    if (verdict !== 'ok') throw new StoreError('damaged', { cause: new Error(String(verdict)) })
    const count = (table: string) => Number(database.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0])
    return { users: count('users'), keys: count('api_keys') }
  })
}

/**
 * Replaces the database at `path`, which no server may have open, with a copy of `file`. Changes nothing if the file is
 * damaged. The previous database, if there was one, is renamed to `<path>.<keptSuffix>`, which is returned as `keptAs`.
 * Sign-in links, invitations and links of shared results of the backup end.
 * @throws StoreError
 */
export function restoreDatabase(file: string, path: string, keptSuffix: string) {
  const draft = `${path}.restoring`
  const remove = () => ['', ...WAL_SUFFIXES].forEach((suffix) => rmSync(draft + suffix, { force: true }))
  try {
    remove()
    copyPrivately(file, draft)
    // A file copied from a running server has its latest changes in the write-ahead log beside it.
    if (existsSync(`${file}-wal`)) copyPrivately(`${file}-wal`, `${draft}-wal`)
    const summary = checkDatabase(draft)
    // Merges the write-ahead log into the file.
    withDatabase(draft, (database) => database.run('PRAGMA journal_mode = DELETE'))
    withDatabase(draft, endLinks)
    const kept = unusedName(`${path}.${keptSuffix}`)
    mergeLog(path)
    try {
      setAside(path, kept)
      replaceFile(draft, path)
    } catch (error) {
      putBack(path, kept)
      throw error
    }
    return { ...summary, keptAs: existsSync(kept) ? kept : null }
  } catch (error) {
    throw toStoreError(error)
  } finally {
    remove()
  }
}

/** What opens something for anyone who has its link, also if it was revoked, used or stopped after the backup. */
const LINK_TABLES = ['tickets', 'shared_results']

/** Ends all links. Tables that an older version does not have yet are skipped. */
function endLinks(database: Database): void {
  // The draft is synced before it replaces the database.
  database.run('PRAGMA synchronous = OFF')
  const tables = database.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values().flat()
  for (const table of LINK_TABLES) if (tables.includes(table)) database.run(`DELETE FROM ${table}`)
}

/**
 * Copies the write-ahead log into the database. If a restore is then killed before it has replaced the database, the
 * database is complete without its log. A damaged or missing database keeps its log, and so does a database that a
 * command reads for more than 5 s.
 */
function mergeLog(path: string): void {
  attempt(() => withDatabase(path, (database) => database.run('PRAGMA wal_checkpoint(TRUNCATE)')))
}

/**
 * Also moves the write-ahead log, because SQLite would apply it to the new database. The log may exist without a
 * database.
 */
function setAside(path: string, keptAs: string): void {
  // Links instead of renaming, so that the name exists until the new file replaces it in one step.
  if (existsSync(path)) linkSync(path, keptAs)
  moveLog(path, keptAs)
  syncToDisk(dirname(path))
}

/** Undoes `setAside`, even if it was interrupted. Without its write-ahead log, the database would lack changes. */
function putBack(path: string, keptAs: string): void {
  if (existsSync(keptAs)) renameSync(keptAs, path)
  // If both names are links to the same file, the rename did nothing.
  rmSync(keptAs, { force: true })
  moveLog(keptAs, path)
}

function moveLog(from: string, to: string): void {
  for (const suffix of WAL_SUFFIXES) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
}

function unusedName(path: string): string {
  let name = path
  for (let n = 2; existsSync(name); n++) name = `${path}-${n}`
  return name
}

function copyPrivately(from: string, to: string) {
  createPrivateFile(to)
  copyFileSync(from, to)
  if (statSync(to).size === 0) rmSync(to)
}
