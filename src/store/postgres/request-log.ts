import { desc, eq, getTableColumns, inArray, lt, sql, type SQL } from 'drizzle-orm'

import type { LoggedRequest, RequestLog } from '../../core/request-log.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { requestLog, type Drizzle } from './schema.ts'

export function postgresRequestLog(db: Drizzle): RequestLog {
  const { id, userId, atMs } = requestLog
  const { id: _, ...columns } = getTableColumns(requestLog)

  return {
    async append(requests) {
      await db.execute(insertRequests(requests))
    },

    async trim(userIds, keep) {
      await db.execute(deleteBeyond(userIds, keep))
    },

    async list(user, limit) {
      return db.select(columns).from(requestLog).where(eq(userId, user)).orderBy(desc(id)).limit(limit)
    },

    async eraseUrls(user) {
      await db.update(requestLog).set({ host: null, path: null }).where(eq(userId, user))
    },

    async sweep(beforeMs) {
      const old = db.select({ id }).from(requestLog).where(lt(atMs, beforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(requestLog).where(inArray(id, old)).returning({ id }))
    },
  }
}

/** A value as one parameter, so that the statement stays the same and the server prepares it once. */
const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

/**
 * The users with these ids. Locks them until the end of the statement, in the order of their ids. Processes that write
 * for the same user therefore take turns: the limit per user is exact, and no URL is written after the user has turned
 * off URL logging.
 */
const lockedUsers = (userIds: readonly string[]): SQL => sql`
known AS MATERIALIZED (
  SELECT id, logs_urls FROM users WHERE id IN (SELECT jsonb_array_elements_text(${json(userIds)}))
  ORDER BY id FOR NO KEY UPDATE
)`

/** Inserts the requests of known users in their order. */
const insertRequests = (requests: readonly LoggedRequest[]): SQL => sql`
WITH ${lockedUsers([...new Set(requests.map(({ userId }) => userId))])}
INSERT INTO request_log (user_id, key_id, request_id, at, method, status, reason, cache, latency_ms, host, path)
SELECT known.id, "keyId", "requestId", "atMs", method, status, reason, cache, "latencyMs",
  CASE WHEN logs_urls THEN host END, CASE WHEN logs_urls THEN path END
FROM jsonb_to_recordset(${json(requests.map((request, place) => ({ ...request, place })))}) AS r(
  place int, "userId" text, "keyId" text, "requestId" text, "atMs" bigint, method text, status int, reason text, cache text,
  "latencyMs" bigint, host text, path text
)
JOIN known ON known.id = r."userId"
ORDER BY place`

/** Deletes all but the newest `keep` requests of each of the users. */
const deleteBeyond = (userIds: readonly string[], keep: number): SQL => sql`
WITH ${lockedUsers(userIds)}
DELETE FROM request_log USING (
  SELECT known.id AS user_id, (
    SELECT l.id FROM request_log l WHERE l.user_id = known.id ORDER BY l.id DESC OFFSET ${keep}::int LIMIT 1
  ) AS newest
  FROM known
) AS beyond
WHERE request_log.user_id = beyond.user_id AND request_log.id <= beyond.newest`
