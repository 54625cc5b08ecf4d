import { StoreError, type StoreFault } from '../../core/store-fault.ts'

/**
 * Faults by the start of SQLite's result code (https://sqlite.org/rescode.html), or of the error code of the operating
 * system, from creating a file. The first that matches counts.
 */
const FAULTS: readonly (readonly [fault: StoreFault, code: RegExp])[] = [
  // IOERR_SHMSIZE: no space for the file with the suffix `-shm`.
  ['full', /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/],
  ['missing', /^SQLITE_READONLY_DBMOVED/],
  ['read_only', /^(?:SQLITE_READONLY|EROFS)/],
  ['locked', /^(?:SQLITE_BUSY|SQLITE_LOCKED)/],
  ['damaged', /^SQLITE_CORRUPT/],
  ['not_a_database', /^SQLITE_NOTADB/],
  ['cannot_open', /^(?:SQLITE_CANTOPEN|SQLITE_PERM|EACCES|EPERM|ENOENT|ENOTDIR)/],
  ['io_error', /^(?:SQLITE_IOERR|EIO)/],
]

/** The fault of a database error, which drizzle may have wrapped; null for other errors. */
export function faultOf(error: unknown): StoreFault | null {
  if (!(error instanceof Error)) return null
  if (error instanceof StoreError) return error.fault
  const code = 'code' in error ? String(error.code) : ''
  const known = FAULTS.find(([, codes]) => codes.test(code))
  if (known) return known[0]
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
