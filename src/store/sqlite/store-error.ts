import { StoreError, type StoreFault } from '../../core/store-fault.ts'
import { faultOfCode } from '../fault-of-code.ts'

/** The fault of a database error, which drizzle may have wrapped; null for other errors. */
export function faultOf(error: unknown): StoreFault | null {
  if (!(error instanceof Error)) return null
  if (error instanceof StoreError) return error.fault
  const code = 'code' in error ? String(error.code) : ''
  const known = faultOfCode('sqlite', code)
  if (known !== null) return known
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
