import { and, desc, eq, getTableColumns, lt } from 'drizzle-orm'

import type { RequestLog } from '../../core/usage/request-log.ts'
import type { Dialect } from './dialect.ts'
import type { AccountTables } from './tables.ts'

/** The request log, except for writing and trimming it, which each database does in its own way. */
export function sqlRequestLog(
  dialect: Dialect<Pick<AccountTables, 'requestLog'>>,
): Pick<RequestLog, 'find' | 'list' | 'eraseUrls' | 'sweep'> {
  const { db, tables, sweep } = dialect
  const { requestLog } = tables
  const { id, ...columns } = getTableColumns(requestLog)

  return {
    // Without an index on the id: a user has at most about 10,000 rows.
    async find(userId, requestId) {
      const isWanted = and(eq(requestLog.userId, userId), eq(requestLog.requestId, requestId))
      const [found] = await db.select(columns).from(requestLog).where(isWanted).orderBy(desc(id)).limit(1)
      return found ?? null
    },

    async list(userId, keyId, limit) {
      const isSelected = and(eq(requestLog.userId, userId), keyId === null ? undefined : eq(requestLog.keyId, keyId))
      return db.select(columns).from(requestLog).where(isSelected).orderBy(desc(id)).limit(limit)
    },

    async eraseUrls(userId) {
      await db.update(requestLog).set({ host: null, path: null }).where(eq(requestLog.userId, userId))
    },

    sweep: (beforeMs) => sweep(requestLog, lt(requestLog.atMs, beforeMs)),
  }
}
