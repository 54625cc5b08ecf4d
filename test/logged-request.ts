import type { LoggedRequest } from '../src/core/usage/request-log.ts'

/** A request as the request log stores it. */
export function loggedRequest(of: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    userId: 'u1',
    keyId: 'k1',
    requestId: 'r1',
    atMs: 1,
    method: 'GET',
    format: null,
    status: 200,
    reason: 'ok',
    cache: null,
    latencyMs: 1,
    host: null,
    path: null,
    details: null,
    ...of,
  }
}
