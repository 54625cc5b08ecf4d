import { StoreError, type StoreFault } from '../../core/store-fault.ts'

/** Faults by prefix of SQLite's result code; longer prefixes first. https://sqlite.org/rescode.html */
const FAULTS: readonly (readonly [code: string, fault: StoreFault])[] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY_DBMOVED', 'missing'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'not_a_database'],
  ['SQLITE_CANTOPEN', 'cannot_open'],
  ['SQLITE_PERM', 'cannot_open'],
  // No space for the file with the suffix `-shm`.
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['SQLITE_IOERR', 'io_error'],
  // Error codes of the operating system, from creating a file.
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read_only'],
  ['EACCES', 'cannot_open'],
  ['EPERM', 'cannot_open'],
  ['ENOENT', 'cannot_open'],
  ['ENOTDIR', 'cannot_open'],
  ['EIO', 'io_error'],
]

/** The fault of a database error, which drizzle may have wrapped; null for other errors. */
export function faultOf(error: unknown): StoreFault | null {
  if (!(error instanceof Error)) return null
  if (error instanceof StoreError) return error.fault
  const code = 'code' in error ? String(error.code) : ''
  const known = FAULTS.find(([prefix]) => code.startsWith(prefix))
  if (known) return known[1]
  // The schema was overwritten, because every table in the statements existed at the start.
  if (code === 'SQLITE_ERROR' && /^no such (table|column|index)/.test(error.message)) return 'damaged'
  return faultOf(error.cause)
}

/** Returns errors of the database as StoreError, and others unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error
  const fault = faultOf(error)
  return fault === null ? error : new StoreError(fault, { cause: error })
}
