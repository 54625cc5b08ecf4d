import type { LoggedRequest } from '../../core/usage/request-log.ts'
import type { DrizzleDatabase, Values } from './dialect.ts'

export function sqliteRequestLog({ $client: database }: DrizzleDatabase) {
  const insert = database.query<unknown, Values>(`
    INSERT INTO request_log (user_id, key_id, request_id, at, method, format, status, reason, cache, latency_ms, host,
      path, details)
    VALUES ($userId, $keyId, $requestId, $atMs, $method, $format, $status, $reason, $cache, $latencyMs, $host, $path,
      $details)`)
  const owners = database.query<{ id: string; logs_urls: number }, string>(
    'SELECT id, logs_urls FROM users WHERE id IN (SELECT value FROM json_each(?))',
  )

  // Prepared once, because a transaction of drizzle prepares its statement for each call.
  const append = database.transaction((requests: readonly LoggedRequest[]) => {
    const userIds = [...new Set(requests.map((request) => request.userId))]
    const logsUrls = new Map(owners.all(JSON.stringify(userIds)).map((user) => [user.id, user.logs_urls === 1]))
    // One statement per row: the number of parameters of a statement is limited.
    for (const request of requests) {
      const isLogged = logsUrls.get(request.userId)
      if (isLogged !== undefined) insert.run({ ...request, ...(!isLogged && { host: null, path: null }) })
    }
  })

  return { append: async (requests: readonly LoggedRequest[]) => append.immediate(requests) }
}
