import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { RequestLog } from '../../core/usage/request-log.ts'
import { requestLog, users } from './schema.ts'

export function sqliteRequestLog(db: BunSQLiteDatabase): Omit<RequestLog, 'find' | 'list' | 'eraseUrls' | 'sweep'> {
  const { id, userId, keyId } = requestLog
  /** The newest request beyond the first `keep` of a key or a user; it and all older ones are deleted. */
  const firstBeyond = (column: typeof keyId | typeof userId) =>
    db
      .select({ id })
      .from(requestLog)
      .where(eq(column, sql.placeholder('value')))
      .orderBy(desc(id))
      .limit(1)
      .offset(sql.placeholder('keep'))
      .prepare()
  const firstOfKey = firstBeyond(keyId)
  const firstOfUser = firstBeyond(userId)

  /** In one transaction, because each is written to disk. */
  function trim(
    column: typeof keyId | typeof userId,
    find: typeof firstOfKey,
    values: readonly string[],
    keep: number,
  ) {
    db.transaction(
      (tx) => {
        for (const value of values) {
          const beyond = find.get({ value, keep })
          if (beyond === undefined) continue
          const isBeyond = and(eq(column, value), lte(id, beyond.id))
          tx.delete(requestLog).where(isBeyond).run()
        }
      },
      { behavior: 'immediate' },
    )
  }

  const insert = db
    .insert(requestLog)
    .values({
      userId: sql.placeholder('userId'),
      keyId: sql.placeholder('keyId'),
      requestId: sql.placeholder('requestId'),
      atMs: sql.placeholder('atMs'),
      method: sql.placeholder('method'),
      format: sql.placeholder('format'),
      status: sql.placeholder('status'),
      reason: sql.placeholder('reason'),
      cache: sql.placeholder('cache'),
      latencyMs: sql.placeholder('latencyMs'),
      host: sql.placeholder('host'),
      path: sql.placeholder('path'),
      details: sql.placeholder('details'),
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

    async trimKeys(keyIds, keep) {
      trim(keyId, firstOfKey, keyIds, keep)
    },

    async trimUsers(userIds, keep) {
      trim(userId, firstOfUser, userIds, keep)
    },
  }
}
