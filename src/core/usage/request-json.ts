import { rowJson } from '../row-json.ts'
import type { LoggedRequest } from './request-log.ts'

/** A logged request in exports and on the command line. */
export const requestJson = ({ requestId, details, ...logged }: LoggedRequest) => ({
  id: requestId,
  ...rowJson(logged, ['atMs', 'keyId', 'method', 'format', 'status', 'reason', 'cache', 'latencyMs', 'host', 'path']),
  details: details === null ? null : (JSON.parse(details) as object),
})
