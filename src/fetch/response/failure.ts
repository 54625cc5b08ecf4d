import { wordSet } from '../../core/word-set.ts'
import { FetchError } from '../../core/errors.ts'
import tlsReasons from './tls-reasons.json'

/** The reason shown to callers, by the error code of the TLS library. */
const TLS_REASONS: Readonly<Record<string, string>> = tlsReasons

/** Error codes of system calls, before (`REFUSED`) and after (`RESET`) a connection is established. */
const REFUSED = wordSet('ECONNREFUSED EHOSTUNREACH ENETUNREACH EHOSTDOWN EADDRNOTAVAIL EACCES EPERM')
const RESET: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT'])

/** The code of a system, TLS or parser error, or ''. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function connectFailure(cause: unknown): FetchError {
  return new FetchError(REFUSED.has(errorCode(cause)) ? 'connection_refused' : 'connection_reset', { cause })
}

export function tlsFailure(cause: unknown): FetchError {
  const code = errorCode(cause)
  if (RESET.has(code)) return new FetchError('connection_reset', { cause })
  return new FetchError('tls_error', { reason: `TLS error: ${TLS_REASONS[code] ?? 'handshake failed'}`, cause })
}

/** The error for a response with an invalid head, framing or content encoding, or none at all. */
export function responseFailure(cause: unknown): FetchError {
  if (cause instanceof FetchError) return cause
  const code = errorCode(cause)
  if (RESET.has(code)) return new FetchError('connection_reset', { cause })
  // In TLS 1.3, a server that requires a client certificate fails only after the handshake.
  if (code.startsWith('ERR_SSL_')) return tlsFailure(cause)
  return new FetchError('invalid_response', { cause })
}
