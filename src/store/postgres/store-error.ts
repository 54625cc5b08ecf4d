import { DrizzleQueryError } from 'drizzle-orm'

import { StoreError, type StoreFault } from '../../core/store-fault.ts'
import { faultOfCode } from '../fault-of-code.ts'

/** Faults that the SQLSTATE alone does not identify. PgBouncer reports all its own errors as protocol_violation. */
const FAULTS_BY_TEXT: readonly (readonly [state: string, text: RegExp, fault: StoreFault])[] = [
  ['08P01', /unsupported startup parameter: search_path/, 'search_path'],
  ['08P01', /unsupported startup parameter/, 'rejected_settings'],
  ['08P01', /no more connections allowed|query_wait_timeout/, 'too_many_connections'],
  ['08P01', /authentication failed|no such user/, 'access_denied'],
  ['08P01', /no such database/, 'no_database'],
  // feature_not_supported: serializable transactions; cannot_connect_now: a standby that serves no queries
  ['0A000', /hot standby/, 'standby'],
  ['57P03', /system is not accepting connections/, 'standby'],
]

/** The SQLSTATE of an error from the server; null for other errors. */
export function sqlStateOf(error: unknown): string | null {
  return serverErrorOf(error)?.errno ?? null
}

/** The error from the server, which drizzle wraps; null if the server did not report an error. */
function serverErrorOf(error: unknown): (Error & { errno: string }) | null {
  if (!(error instanceof Error)) return null
  const isOfServer = 'errno' in error && typeof error.errno === 'string' && /^[0-9A-Z]{5}$/.test(error.errno)
  return isOfServer ? (error as Error & { errno: string }) : serverErrorOf(error.cause)
}

export function faultOf(error: unknown): StoreFault | null {
  if (!(error instanceof Error)) return null
  if (error instanceof StoreError) return error.fault
  const reported = serverErrorOf(error)
  if (reported !== null) {
    const { errno, message } = reported
    const byText = FAULTS_BY_TEXT.find(([state, text]) => errno === state && text.test(message))?.[2]
    return byText ?? faultOfCode('postgres', errno)
  }
  const code = 'code' in error ? String(error.code) : ''
  return faultOfCode('postgresClient', code) ?? faultOf(error.cause)
}

/** Returns a fault of the database or the connection as StoreError, and other errors without their values. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error
  const fault = faultOf(error)
  const cause = withoutValues(error)
  return fault === null ? cause : new StoreError(fault, { cause })
}

/**
 * Removes values from an error before it is logged. drizzle adds the statement and its values to the message, and the
 * server adds rows to `detail`. Values include email addresses and token hashes, and the values of a batch can fill
 * pages.
 */
function withoutValues(error: unknown): unknown {
  if (error instanceof DrizzleQueryError) return withoutValues(error.cause)
  const state = sqlStateOf(error)
  return state === null ? error : new Error(`${(error as Error).message} (SQLSTATE ${state})`)
}

/**
 * Whether the server reported that a failed statement changed nothing. Without a response, or with
 * statement_completion_unknown or connection_exception, the statement may have been committed.
 */
export function isUndone(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== null && state !== '40003' && !state.startsWith('08')
}
