import { and, desc, eq, getTableColumns, inArray, lt, lte, sql } from 'drizzle-orm'

import type { RequestLog } from '../../core/request-log.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { requestLog, users, type Drizzle } from './schema.ts'

export function sqliteRequestLog(db: Drizzle): RequestLog {
  const { id, userId, atMs } = requestLog
  const { id: _, ...columns } = getTableColumns(requestLog)
  /** The newest request of a user beyond the first `keep`; it and all older ones are deleted. */
  const firstBeyond = db
    .select({ id })
    .from(requestLog)
    .where(eq(userId, sql.placeholder('userId')))
    .orderBy(desc(id))
    .limit(1)
    .offset(sql.placeholder('keep'))
    .prepare()

  const insert = db
    .insert(requestLog)
    .values({
      userId: sql.placeholder('userId'),
      keyId: sql.placeholder('keyId'),
      requestId: sql.placeholder('requestId'),
      atMs: sql.placeholder('atMs'),
      method: sql.placeholder('method'),
      status: sql.placeholder('status'),
      reason: sql.placeholder('reason'),
      cache: sql.placeholder('cache'),
      latencyMs: sql.placeholder('latencyMs'),
      host: sql.placeholder('host'),
      path: sql.placeholder('path'),
    })
    .prepare()

  return {
    async append(requests) {
      const userIds = [...new Set(requests.map((request) => request.userId))]
      db.transaction(
        (tx) => {
          const known = new Map(
            tx
              .select({ id: users.id, logsUrls: users.logsUrls })
              .from(users)
              .where(inArray(users.id, userIds))
              .all()
              .map((user) => [user.id, user.logsUrls]),
          )
          const rows = requests
            .filter((request) => known.has(request.userId))
            .map((request) => (known.get(request.userId) ? request : { ...request, host: null, path: null }))
          // One statement per row: the number of parameters of a statement is limited.
          for (const row of rows) insert.run({ ...row })
        },
        { behavior: 'immediate' },
      )
    },

    async trim(userIds, keep) {
      // One transaction, because each is written to disk.
      db.transaction(
        (tx) => {
          for (const user of userIds) {
            const beyond = firstBeyond.get({ userId: user, keep })
            if (beyond === undefined) continue
            const isBeyond = and(eq(userId, user), lte(id, beyond.id))
            tx.delete(requestLog).where(isBeyond).run()
          }
        },
        { behavior: 'immediate' },
      )
    },

    async list(user, limit) {
      return db.select(columns).from(requestLog).where(eq(userId, user)).orderBy(desc(id)).limit(limit).all()
    },

    async eraseUrls(user) {
      db.update(requestLog).set({ host: null, path: null }).where(eq(userId, user)).run()
    },

    async sweep(beforeMs) {
      const old = db.select({ id }).from(requestLog).where(lt(atMs, beforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(requestLog).where(inArray(id, old)).returning({ id }).all().length)
    },
  }
}
