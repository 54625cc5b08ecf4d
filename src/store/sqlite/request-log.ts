import { and, desc, eq, getTableColumns, inArray, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { RequestLog } from '../../core/usage/request-log.ts'
import { placeholders } from './dialect.ts'
import { tables } from './schema.ts'

const { requestLog, users } = tables

export function sqliteRequestLog(db: BunSQLiteDatabase): Pick<RequestLog, 'append' | 'trimKeys' | 'trimUsers'> {
  const { id, ...columns } = getTableColumns(requestLog)
  const { userId, keyId } = columns
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
    .values(placeholders(...(Object.keys(columns) as (keyof typeof columns)[])))
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
