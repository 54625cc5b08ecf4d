import { getTableColumns, inArray } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { RequestLog } from '../../core/usage/request-log.ts'
import { inTransaction, placeholders } from './dialect.ts'
import { tables } from './schema.ts'

const { requestLog, users } = tables

export function sqliteRequestLog(db: BunSQLiteDatabase): Pick<RequestLog, 'append'> {
  const { id: _, ...columns } = getTableColumns(requestLog)
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
  }
}
