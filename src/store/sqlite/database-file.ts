import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

import { StoreError } from '../../core/store-fault.ts'
import { createPrivateFile, restrictToOwner } from '../private-file.ts'
import { inSteps } from './in-steps.ts'
import { BUSY_TIMEOUT_MS } from './retry-when-busy.ts'

/** The name of a database that lives in memory alone. */
export const IN_MEMORY = ':memory:'

/** Each setting of a connection with its reason. */
const PRAGMAS = [
  // Pages that deleted rows leave behind can be given back to the file system, a few at a time. It is decided before
  // the first table is created, so it comes before everything else.
  'auto_vacuum = INCREMENTAL',
  // Readers and the writer do not wait for each other, so commands work while the server runs.
  'journal_mode = WAL',
  // In WAL mode a commit survives the death of the process; only a power cut can lose the last ones, never corrupt.
  'synchronous = NORMAL',
  // A sweep or a migration may write a long log; the file shrinks to this many bytes afterwards.
  'journal_size_limit = 16777216',
  // SQLite leaves REFERENCES unchecked unless asked.
  'foreign_keys = ON',
]

/** Files that SQLite keeps beside a database in WAL mode. It gives new ones the permissions of the database. */
export const COMPANIONS = ['-wal', '-shm'] as const

/** How long a look at the file's place in the directory counts; at the rate of requests, each would cost a system call. */
const PLACE_CHECK_MS = 50

/** A connection to a database file; whoever opens it disposes it. */
export interface DatabaseFile extends Disposable {
  database: Database
  /**
   * Throws when another file, or none, has the path by now. SQLite would go on writing into the deleted file, and what
   * was counted there would be lost at the next start. `maxAgeMs` is how old the result of an earlier check may be.
   * @throws StoreError `missing`
   */
  checkPlace(maxAgeMs?: number): void
}

/** Opens the database at `path`, and creates it, for its owner alone, when there is none. */
export function openDatabaseFile(path: string): DatabaseFile {
  if (path !== IN_MEMORY) {
    createPrivateFile(path)
    for (const companion of COMPANIONS) restrictToOwner(path + companion)
  }
  const database = new Database(path, { create: true, strict: true })
  try {
    // While it opens, every statement, the pragmas too, may have to wait for another process.
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`)
  } catch (error) {
    database.close()
    throw error
  }
  return {
    database,
    checkPlace: path === IN_MEMORY ? () => {} : placeCheck(path),
    [Symbol.dispose]: () => database.close(),
  }
}

function placeCheck(path: string): DatabaseFile['checkPlace'] {
  const fileAt = () => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && `${stats.dev}:${stats.ino}`
  }
  const opened = fileAt()
  let checkedAtMs = performance.now()
  return (maxAgeMs = PLACE_CHECK_MS) => {
    const nowMs = performance.now()
    if (nowMs - checkedAtMs < maxAgeMs) return
    if (fileAt() !== opened) throw new StoreError('missing')
    checkedAtMs = nowMs
  }
}

/** Free pages that go back to the file system in one step: about a millisecond of work. */
const SHRINK_PAGES = 64

/** Free pages that stay: 4 MB, which the next rows take without growing the file. */
const KEPT_FREE_PAGES = 1_024

/** Gives the space of deleted rows back to the file system, in small steps. */
export async function shrink(database: Database): Promise<void> {
  const given = await inSteps(() => shrinkStep(database))
  // Until its log is copied into it, the file keeps its size.
  if (given > 0) database.run('PRAGMA wal_checkpoint(PASSIVE)')
}

/** Gives back at most a step's worth of free pages; says how many. */
function shrinkStep(database: Database): number {
  const { freelist_count: free } = database.query<{ freelist_count: number }, []>('PRAGMA freelist_count').get()!
  const given = Math.min(SHRINK_PAGES, free - KEPT_FREE_PAGES)
  if (given <= 0) return 0
  // Each row that is fetched frees one page.
  database.query(`PRAGMA incremental_vacuum(${given})`).all()
  return given
}
