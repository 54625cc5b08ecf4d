import { and, desc, eq, getTableColumns, inArray, lte, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { RequestLog } from '../../core/usage/request-log.ts'
import { inTransaction, placeholders } from './dialect.ts'
import { tables } from './schema.ts'

const { requestLog, users } = tables

export function sqliteRequestLog(db: BunSQLiteDatabase): Pick<RequestLog, 'append' | 'trimKeys' | 'trimUsers'> {
  const { id, ...columns } = getTableColumns(requestLog)
  const { userId, keyId } = columns
  /** Deletes all but the newest `keep` requests of a key or a user. */
  const trimming = (column: typeof keyId | typeof userId) => {
    const isOwned = eq(column, sql.placeholder('value'))
    const kept = db.select({ id }).from(requestLog).where(isOwned).orderBy(desc(id))
    const newestBeyond = kept.limit(1).offset(sql.placeholder('keep'))
    return db
      .delete(requestLog)
      .where(and(isOwned, lte(id, sql`(${newestBeyond})`)))
      .prepare()
  }
  const trimKey = trimming(keyId)
  const trimUser = trimming(userId)

  /** In one transaction, because each is written to disk. */
  function trimAll(trim: typeof trimKey, values: readonly string[], keep: number) {
    inTransaction(db, () => values.forEach((value) => trim.run({ value, keep })))
  }

  const insert = db
    .insert(requestLog)
    .values(placeholders(...(Object.keys(columns) as (keyof typeof columns)[])))
    .prepare()

  return {
    async append(requests) {
      const userIds = [...new Set(requests.map((request) => request.userId))]
      inTransaction(db, () => {
        const owners = db.select({ id: users.id, logsUrls: users.logsUrls }).from(users)
        const known = owners.where(inArray(users.id, userIds)).all()
        const logsUrls = new Map(known.map((user) => [user.id, user.logsUrls]))
        // One statement per row: the number of parameters of a statement is limited.
        for (const request of requests) {
          const isLogged = logsUrls.get(request.userId)
          if (isLogged !== undefined) insert.run({ ...request, ...(!isLogged && { host: null, path: null }) })
        }
      })
    },

    async trimKeys(keyIds, keep) {
      trimAll(trimKey, keyIds, keep)
    },

    async trimUsers(userIds, keep) {
      trimAll(trimUser, userIds, keep)
    },
  }
}
