import { getTableColumns } from 'drizzle-orm'

import type { LoggedRequest } from '../../core/usage/request-log.ts'
import { compilerOf, type DrizzleDatabase } from './compiled.ts'
import type { Dialect } from '../sql/dialect.ts'
import { placeholders } from './dialect.ts'
import { tables } from './schema.ts'

const { requestLog, users } = tables

export function sqliteRequestLog(db: DrizzleDatabase, { isAmong }: Pick<Dialect<unknown>, 'isAmong'>) {
  const { id: _, ...columns } = getTableColumns(requestLog)
  const compiled = compilerOf(db)
  const names = Object.keys(columns) as (keyof typeof columns)[]
  const insert = compiled(db.insert(requestLog).values(placeholders(...names)))
  const { ids } = placeholders('ids')
  const owners = compiled<{ id: string; logs_urls: number }>(
    db.select({ id: users.id, logsUrls: users.logsUrls }).from(users).where(isAmong(users.id, ids)),
  )

  // Prepared once, because a transaction of drizzle prepares its statement for each call.
  const append = db.$client.transaction((requests: readonly LoggedRequest[]) => {
    const userIds = [...new Set(requests.map((request) => request.userId))]
    const known = owners.all({ ids: JSON.stringify(userIds) })
    const logsUrls = new Map(known.map((user) => [user.id, user.logs_urls === 1]))
    // One statement per row: the number of parameters of a statement is limited.
    for (const request of requests) {
      const isLogged = logsUrls.get(request.userId)
      if (isLogged !== undefined) insert.run({ ...request, ...(!isLogged && { host: null, path: null }) })
    }
  })

  return { append: async (requests: readonly LoggedRequest[]) => append.immediate(requests) }
}
