import { failureReason } from '../../core/errors.ts'
import type { RequestDetails } from '../../core/fetch/summary.ts'
import { formatOf } from '../../core/formats/formats.ts'
import { type LoggedRequest, MAX_LOGGED_PATH_CHARACTERS } from '../../core/usage/request-log.ts'
import type { AccessLogEntry, RequestOwner } from '../server/access-log.ts'

export function loggedRequestOf(entry: AccessLogEntry, owner: RequestOwner, nowMs: number): LoggedRequest {
  const { id, method, route, status, outcome, failure, ms, cache, host } = entry
  const { userId, keyId, path, rejection } = owner
  return {
    userId,
    keyId,
    requestId: id,
    atMs: nowMs,
    method,
    format: formatOf(route),
    status,
    reason: rejection ?? (failure === undefined ? outcome : failureReason(failure, entry)),
    cache: cache ?? null,
    latencyMs: ms,
    host: path === null ? null : (host ?? null),
    path: path === null ? null : path.slice(0, MAX_LOGGED_PATH_CHARACTERS),
    details: detailsOf(entry),
  }
}

/**
 * The details as JSON; null if there are none. `detail` and addresses are left out, because they say more about the
 * server's network than its users may know.
 */
function detailsOf(entry: AccessLogEntry): string | null {
  const { cacheLayer, ignoredParameters, redirects, phases, unfinished } = entry
  const { fetchMethod, methodReason, renderFailure, interstitial } = entry
  const result = { fetchMethod, methodReason, renderFailure, interstitial }
  const details = { cacheLayer, ignoredParameters, redirects, phases, unfinished, ...result }
  const text = JSON.stringify(details satisfies Record<keyof RequestDetails, unknown>)
  return text === '{}' ? null : text
}
