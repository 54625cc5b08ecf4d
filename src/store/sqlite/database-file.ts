import { Database } from 'bun:sqlite'

import { StoreError } from '../../core/store-fault.ts'
import { createPrivateFile, restrictToOwner } from '../files/private-file.ts'
import { CHECKPOINT_BYTES, walBytes } from './checkpoint.ts'
import { type DiskThread, mainThread } from './disk-thread.ts'
import { inSteps } from './in-steps.ts'
import { probe } from './probe.ts'
import { BUSY_TIMEOUT_MS } from './retry-when-busy.ts'
import { idOfFiles, WAL_SUFFIXES } from './wal-files.ts'

const PRAGMAS = [
  // Readers and the writer do not wait for each other, so commands work while the server runs.
  'journal_mode = WAL',
  // In WAL mode a commit survives a crash of the process. A power failure can lose the last commits, but cannot corrupt
  // the database.
  'synchronous = NORMAL',
  // Once the write-ahead log has this many pages, 20 MB, a commit copies them into the database and waits for the disk.
  // This only happens to commands without a server: a server copies a shorter log in another thread.
  'wal_autocheckpoint = 5000',
  // SQLite does not enforce foreign keys by default.
  'foreign_keys = ON',
]

/** How long the result of `checkPlace` is reused, because each check costs three system calls. */
const PLACE_CHECK_MS = 50

/** The caller disposes the connection. */
export type DatabaseFile = ReturnType<typeof openDatabaseFile>

/** Opens the database at `path`, or creates it, readable by its owner only. `thread` waits for the disk. */
export function openDatabaseFile(path: string, thread: DiskThread = mainThread) {
  createPrivateFile(path)
  for (const suffix of WAL_SUFFIXES) restrictToOwner(path + suffix)
  using stack = new DisposableStack()
  const database = new Database(path, { create: true, strict: true })
  stack.defer(() => database.close())
  // While the database is opened, every statement, including pragmas, may have to wait for another process.
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  // Allows returning free pages to the file system, a few at a time. The mode must be set before the first table is
  // created. An existing mode is kept, because setting the mode again would wait for the writer.
  if (!database.query('PRAGMA auto_vacuum').values()[0]?.[0]) database.run('PRAGMA auto_vacuum = INCREMENTAL')
  for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`)
  if (thread !== mainThread) database.run('PRAGMA wal_autocheckpoint = 0')
  // The first read creates the files of the write-ahead log.
  database.query('PRAGMA user_version').get()
  const owned = stack.move()
  const fileId = idOfFiles(path)
  let checkedAtMs = performance.now()
  let running: Promise<void> | null = null

  /**
   * Checks that the paths still refer to these files. SQLite would continue to write to a deleted file, or log, and usage
   * counted there would be lost at the next start. `maxAgeMs` is how old the result of an earlier check may be.
   * @throws StoreError `missing`
   */
  function checkPlace(maxAgeMs = PLACE_CHECK_MS) {
    const nowMs = performance.now()
    if (nowMs - checkedAtMs < maxAgeMs) return
    // Once the files differ, no earlier result is reused.
    checkedAtMs = -Infinity
    if (idOfFiles(path) !== fileId) throw new StoreError('missing')
    checkedAtMs = nowMs
  }

  return {
    database,
    checkPlace,
    /** Copies the write-ahead log into the database if the log has at least `minBytes`. */
    async checkpoint(minBytes = CHECKPOINT_BYTES) {
      if (running !== null || walBytes(path) < minBytes) return
      const checkpoint = thread.run({ path, fileId })
      const ended = () => void (running = null)
      running = checkpoint.then(ended, ended)
      await checkpoint
    },
    /** The checkpoint in progress, during which the file must not be replaced. Never rejects. */
    running: () => running,
    /** @throws StoreError, or another error, when the database cannot be read and written */
    async probe() {
      // If a path leads to another file, SQLite must not open it: see `CheckpointTask`.
      checkPlace(0)
      await probe(path)
    },
    [Symbol.dispose]: () => owned.dispose(),
  }
}

/** Free pages returned to the file system in one step: about a millisecond of work. */
const SHRINK_PAGES = 64

/** Free pages that are kept, 4 MB, so that the next rows do not grow the file. */
const KEPT_FREE_PAGES = 1_024

/**
 * With more free pages than this, 200 MB, `shrink` does nothing: SQLite searches the list of free pages for each page that
 * it returns. A step takes 1 ms with 50,000 pages and 26 ms with 400,000. New rows use the free pages.
 */
const MAX_FREE_PAGES = 50_000

export function pageCounts(database: Database) {
  const { page_count: all } = database.query<{ page_count: number }, []>('PRAGMA page_count').get()!
  const { freelist_count: free } = database.query<{ freelist_count: number }, []>('PRAGMA freelist_count').get()!
  return { used: all - free, free }
}

/** Returns the space of deleted rows to the file system, in small steps. */
export async function shrink({ database, checkpoint }: DatabaseFile): Promise<void> {
  if (pageCounts(database).free > MAX_FREE_PAGES) return
  const freed = await inSteps(() => {
    const pages = Math.min(SHRINK_PAGES, pageCounts(database).free - KEPT_FREE_PAGES)
    if (pages <= 0) return 0
    // Each row that is fetched frees one page.
    database.query(`PRAGMA incremental_vacuum(${pages})`).all()
    return pages
  })
  // The file keeps its size until the write-ahead log is copied into it.
  if (freed > 0) await checkpoint(0)
}
