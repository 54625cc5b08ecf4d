import type { ApiKey } from '../../core/accounts/ports.ts'
import { type ErrorKind, type FailureCause, FETCH_FAILURES } from '../../core/errors.ts'
import { loggedMethodReason } from '../../core/fetch/method-reason.ts'
import type { RequestDetails } from '../../core/fetch/summary.ts'
import type { LoggedRequest } from '../../core/usage/request-log.ts'

/** A logged request for display. @param keys all keys of its user that are known */
export function requestItemOf(logged: LoggedRequest, keys: readonly ApiKey[]) {
  const details = logged.details === null ? {} : (JSON.parse(logged.details) as RequestDetails)
  return {
    request: logged,
    details,
    methodReason: loggedMethodReason(details),
    apiKey: keys.find(({ id }) => id === logged.keyId) ?? null,
    cause: causeOf(logged.reason),
  }
}

/**
 * Why a request failed, from its reason: `timeout`, `http_status 404`, `blocked_by_site consent`,
 * `key_expired 2026-11-28`.
 */
function causeOf(reason: string): FailureCause | null {
  if (reason === 'ok') return null
  const [name = '', fact = ''] = reason.split(' ')
  const failure = FETCH_FAILURES.find((known) => known === name) ?? null
  const kind = failure === null ? (name as ErrorKind) : 'fetch_failed'
  return { kind, failure, siteStatus: Number(fact) || null, interstitial: fact }
}
