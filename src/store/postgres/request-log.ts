import { sql, type SQL } from 'drizzle-orm'

import type { LoggedRequest, RequestLog } from '../../core/usage/request-log.ts'
import { isAmong, json } from './dialect.ts'
import type { Drizzle } from './schema.ts'

export const postgresRequestLog = (db: Drizzle): Pick<RequestLog, 'append'> => ({
  async append(requests) {
    await db.execute(insertRequests(requests))
  },
})

/**
 * Inserts the requests of existing users in order. The users stay locked until the end of the statement, always sorted by
 * id, so that processes do not deadlock, and no URL is written after the user has turned off URL logging.
 */
const insertRequests = (requests: readonly LoggedRequest[]): SQL => sql`
WITH known AS MATERIALIZED (
  SELECT id, logs_urls FROM users WHERE ${isAmong(sql`id`, [...new Set(requests.map(({ userId }) => userId))])}
  ORDER BY id FOR NO KEY UPDATE
)
INSERT INTO request_log (user_id, key_id, request_id, at, method, format, status, reason, cache, latency_ms, host, path,
  details)
SELECT known.id, "keyId", "requestId", "atMs", method, format, status, reason, cache, "latencyMs",
  CASE WHEN logs_urls THEN host END, CASE WHEN logs_urls THEN path END, details
FROM jsonb_to_recordset(${json(requests.map((request, place) => ({ ...request, place })))}) AS r(
  place int, "userId" text, "keyId" text, "requestId" text, "atMs" bigint, method text, format text, status int, reason text, cache text,
  "latencyMs" bigint, host text, path text, details text
)
JOIN known ON known.id = r."userId"
ORDER BY place`
