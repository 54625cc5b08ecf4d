import { failureReason } from '../../core/errors.ts'
import { formatOf } from '../../core/formats/formats.ts'
import { type LoggedRequest, MAX_LOGGED_PATH_CHARACTERS } from '../../core/usage/request-log.ts'
import type { AccessLogEntry, RequestOwner } from '../server/access-log.ts'

/** A finished request as an entry of its user's log. */
export function loggedRequestOf(entry: AccessLogEntry, owner: RequestOwner, nowMs: number): LoggedRequest {
  const { id, method, route, status, ms, cache, host } = entry
  const { userId, keyId, path } = owner
  return {
    userId,
    keyId,
    requestId: id,
    atMs: nowMs,
    method,
    format: formatOf(route),
    status,
    reason: reasonOf(entry),
    cache: cache ?? null,
    latencyMs: ms,
    host: path === null ? null : (host ?? null),
    path: path === null ? null : path.slice(0, MAX_LOGGED_PATH_CHARACTERS),
  }
}

/** `ok`, `timeout`, `http_status 404`, `minute_limit`. */
function reasonOf({ outcome, failure, siteStatus }: AccessLogEntry): string {
  return failure === undefined ? outcome : failureReason(failure, siteStatus)
}
