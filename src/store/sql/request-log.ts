import { and, asc, count, desc, eq, getTableColumns, gte, isNotNull, lt, lte, type SQL, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../core/duration.ts'
import { hourOf } from '../../core/period.ts'
import type { RequestLog } from '../../core/usage/request-log.ts'
import { type Dialect, firstRow } from './dialect.ts'
import type { AccountTables } from './tables.ts'

/** The request log without writing, because each database writes in its own way. */
export function sqlRequestLog(
  dialect: Dialect<Pick<AccountTables, 'requestLog' | 'users'>>,
): Omit<RequestLog, 'append'> {
  const { db, tables, sweep } = dialect
  const { requestLog, users } = tables
  const { id, ...columns } = getTableColumns(requestLog)
  const isSelected = (userId: string, keyId: string | null) =>
    and(eq(requestLog.userId, userId), keyId === null ? undefined : eq(requestLog.keyId, keyId))

  return {
    async trim(owner, ids, keep) {
      // One statement for each owner: a batch of requests rarely has more than a few logs to trim.
      for (const ownerId of ids) {
        const isOwned = eq(columns[owner], ownerId)
        const newestFirst = db.select({ id }).from(requestLog).where(isOwned).orderBy(desc(id))
        await db.delete(requestLog).where(and(isOwned, lte(id, sql`(${newestFirst.limit(1).offset(keep)})`)))
      }
    },

    find(userId, requestId) {
      const isOwned = userId === null ? undefined : eq(requestLog.userId, userId)
      const isWanted = and(isOwned, eq(requestLog.requestId, requestId))
      return firstRow(db.select(columns).from(requestLog).where(isWanted).orderBy(desc(id)).limit(1))
    },

    async list(userId, keyId, limit, range) {
      const isInRange = range && and(gte(requestLog.atMs, range[0]), lt(requestLog.atMs, range[1]))
      const isListed = and(isSelected(userId, keyId), isInRange)
      return db.select(columns).from(requestLog).where(isListed).orderBy(desc(id)).limit(limit)
    },

    // A left join, so that SQLite reads the log in the order of its ids.
    async newest(keyId, limit) {
      const requests = db.select({ ...columns, email: users.email }).from(requestLog)
      const isListed = keyId === null ? undefined : eq(requestLog.keyId, keyId)
      return requests.leftJoin(users, eq(users.id, requestLog.userId)).where(isListed).orderBy(desc(id)).limit(limit)
    },

    async hours(userId, keyId, sinceMs) {
      const hour = sql`${requestLog.atMs} / 3600000`.mapWith(Number)
      const countIf = (condition: SQL) => sql`count(*) FILTER (WHERE ${condition})`.mapWith(Number)
      const isOk = sql`${requestLog.reason} = 'ok'`
      const rows = await db
        .select({
          hour,
          requests: count(),
          successes: countIf(isOk),
          cacheHits: countIf(sql`${isOk} AND ${requestLog.cache} = 'HIT'`),
        })
        .from(requestLog)
        .where(and(isSelected(userId, keyId), gte(requestLog.atMs, sinceMs)))
        .groupBy(hour)
        .orderBy(asc(hour))
      return rows.map(({ hour: index, requests, successes, cacheHits }) => {
        return { day: hourOf(index * HOUR_MS), successes, cacheHits, failures: requests - successes }
      })
    },

    async eraseUrls(userId) {
      const hasUrl = and(eq(requestLog.userId, userId), isNotNull(requestLog.host))
      await db.update(requestLog).set({ host: null, path: null }).where(hasUrl)
    },

    sweep: (beforeMs) => sweep(requestLog, lt(requestLog.atMs, beforeMs)),
  }
}
