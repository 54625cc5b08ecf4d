import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

import { StoreError } from '../../core/store-fault.ts'
import { faultOf } from './store-error.ts'
import { idOfFiles } from './wal-files.ts'

/** A write-ahead log of this size, in bytes, is copied into the database. Syncing 16 MB takes about as long as syncing 1 MB. */
export const CHECKPOINT_BYTES = 16 * 2 ** 20

/** Writers may wait this long, in milliseconds, while the frames that they wrote during a checkpoint are copied. */
const SHORT_WAIT_MS = 100

/**
 * The wait is at most `SHORT_WAIT_MS` only for this many frames, 4 MB. A large transaction that was committed during
 * the checkpoint has more.
 */
const FEW_FRAMES = 1_024

/** If the log has this size, in bytes, writers wait longer, because it grows while they write without a pause. */
const MAX_LOG_BYTES = 256 * 2 ** 20

/** A database file whose write-ahead log is copied into it. */
export interface CheckpointTask {
  path: string
  /**
   * Identifies the open files, by `idOfFiles`. SQLite must not open other files at the path: it would truncate the
   * shared memory of the open files.
   */
  fileId: string
}

/**
 * Copies the write-ahead log into the database, and empties the log unless others are using it. Waits for the disk, so a
 * server must not call it on its main thread.
 * @throws an error of SQLite or of the file system; StoreError `missing`
 */
export function checkpoint({ path, fileId }: CheckpointTask): void {
  if (idOfFiles(path) !== fileId) throw new StoreError('missing')
  using database = new Database(path, { readwrite: true, create: false, strict: true })
  database.run('PRAGMA synchronous = NORMAL')
  const startedAtMs = performance.now()
  run(database, 'PASSIVE')
  const tookMs = performance.now() - startedAtMs
  const { log, checkpointed } = run(database, 'NOOP')
  if (checkpointed < log) {
    const isShort = tookMs <= SHORT_WAIT_MS && log - checkpointed <= FEW_FRAMES
    if (!isShort && walBytes(path) < MAX_LOG_BYTES) return
    if (run(database, 'TRUNCATE').busy !== 0) return
  }
  restartLog(database)
}

function run(database: Database, mode: 'PASSIVE' | 'NOOP' | 'TRUNCATE') {
  return database
    .query<{ busy: number; log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`)
    .get()!
}

/** The first transaction after a complete checkpoint restarts the log and syncs its header. It changes no data. */
function restartLog(database: Database) {
  // Truncates the file, so that its size shows when the next checkpoint is due.
  database.run('PRAGMA journal_size_limit = 0')
  database.run(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}`)
  const { user_version: version } = database.query<{ user_version: number }, []>('PRAGMA user_version').get()!
  try {
    database.run(`PRAGMA user_version = ${version}`)
  } catch (error) {
    // The next checkpoint tries again.
    if (faultOf(error) !== 'locked') throw error
  }
}

/** The size of the write-ahead log of the database at `path`; 0 if there is none. */
export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
