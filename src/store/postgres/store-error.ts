import { DrizzleQueryError } from 'drizzle-orm'

import { StoreError, type StoreFault } from '../../core/store-fault.ts'

/**
 * Faults by prefix of the SQLSTATE; longer prefixes first.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const FAULTS: readonly (readonly [state: string, fault: StoreFault])[] = [
  // disk_full
  ['53100', 'full'],
  // too_many_connections
  ['53300', 'too_many_connections'],
  // read_only_sql_transaction: a standby server
  ['25006', 'standby'],
  // query_canceled: by statement_timeout
  ['57014', 'timed_out'],
  // lock_not_available: by lock_timeout
  ['55P03', 'timed_out'],
  // operator_intervention: the server is stopping or starting
  ['57P', 'unreachable'],
  // connection_exception
  ['08', 'unreachable'],
  // invalid_authorization_specification, and a wrong password
  ['28', 'access_denied'],
  // invalid_catalog_name: the database does not exist
  ['3D000', 'no_database'],
  // insufficient_privilege
  ['42501', 'access_denied'],
  // duplicate_prepared_statement, invalid_sql_statement_name: another connection of the pooler prepared it
  ['42P05', 'transaction_pooling'],
  ['26000', 'transaction_pooling'],
  // io_error
  ['58030', 'io_error'],
  // undefined_file: the file of a table
  ['58P01', 'damaged'],
  // undefined_table, undefined_column: they existed at start-up
  ['42P01', 'damaged'],
  ['42703', 'damaged'],
  // data_corrupted, index_corrupted
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
]

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

/** Faults by prefix of the error code of Bun's client. */
const CLIENT_FAULTS: readonly (readonly [code: string, fault: StoreFault])[] = [
  ['ERR_POSTGRES_CONNECTION_TIMEOUT', 'timed_out'],
  ['ERR_POSTGRES_CONNECTION', 'unreachable'],
  ['ERR_POSTGRES_IDLE_TIMEOUT', 'unreachable'],
  ['ERR_POSTGRES_LIFETIME_TIMEOUT', 'unreachable'],
  ['ERR_POSTGRES_TLS', 'access_denied'],
  ['ERR_POSTGRES_AUTHENTICATION', 'access_denied'],
  // OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED and similar codes.
  ['CERT_', 'certificate'],
  ['DEPTH_ZERO_', 'certificate'],
  ['SELF_SIGNED_', 'certificate'],
  ['UNABLE_TO_', 'certificate'],
  ['ERR_TLS_CERT', 'certificate'],
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
    return byText ?? FAULTS.find(([prefix]) => errno.startsWith(prefix))?.[1] ?? null
  }
  const code = 'code' in error ? String(error.code) : ''
  return CLIENT_FAULTS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? faultOf(error.cause)
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
