import { Elysia } from 'elysia'

import type { ApiKey } from '../../core/accounts/ports.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import { rangeOf } from '../../core/period.ts'
import type { LoggedRequest, RequestFilter } from '../../core/usage/request-log.ts'
import { redirect } from '../session/request-context.ts'
import { requestUrl } from '../../../views/requests/request-links.ts'
import { RequestsPage } from '../../../views/requests.tsx'
import { csvOf } from '../pages/csv.ts'
import { requestItemOf } from '../pages/request-item.ts'
import { type Query, queryOf } from '../server/query.ts'
import { pageNumber, pagingOf } from '../pages/paging.ts'
import type { RouteContext } from './route-context.ts'

const COLUMNS = 'time request_id key_id key_name method status reason cache latency_ms host path format'.split(' ')

/** `/usage/requests`: the latest requests of the user's keys, as a page and as CSV. */
export function requestRoutes({ auth, keyRing, requestLogs, now }: RouteContext) {
  return new Elysia({ prefix: '/usage' })
    .use(auth.signedInUser)
    .get('/requests', async ({ request, context, viewer: { user } }) => {
      const query = queryOf(request)
      const id = query('id')?.trim() || ''
      const logged = id === '' ? null : await requestLogs.find(user.id, id)
      // An ID that is not found is searched for, so that the page says so.
      const filter = filterOf(query, logged === null ? id : '')
      const page = pageNumber(query('page'))
      const [log, all] = await Promise.all([requestLogs.page(user.id, filter, page), keyRing.all(user.id)])
      // Found by its ID.
      if (log.requests[0]?.requestId === filter.text) return redirect(requestUrl(filter.text, { ...filter, text: '' }))
      return context.render({ path: '/usage/requests' }, RequestsPage, {
        keys: all.filter((key) => key.id === filter.keyId || mayHaveRequests(key, now())),
        filter,
        ...log,
        loggedDays: requestLogs.days(),
        paging: pagingOf(page, log.summary.total),
        opened: logged && requestItemOf(logged, all),
        logsUrls: user.logsUrls,
      })
    })
    .get('/requests.csv', async ({ request, viewer: { user } }) => {
      const [requests, keys] = await Promise.all([
        requestLogs.all(user.id, filterOf(queryOf(request), '')),
        keyRing.all(user.id),
      ])
      const names = new Map(keys.map(({ id, name }) => [id, name]))
      const rows = requests.map((logged) => rowOf(logged, names.get(logged.keyId) ?? null))
      return new Response(csvOf(COLUMNS, rows), { headers: CSV_HEADERS })
    })
    .post('/requests/urls', async ({ viewer, form }) => {
      const logsUrls = form('log') === 'true'
      await requestLogs.setLogsUrls(viewer.user, logsUrls)
      return auth.redirectWithNotice('/usage/requests', logsUrls ? 'urls_logged' : 'urls_not_logged')
    })
}

/** Whether the log may have requests of a key. Deactivated and expired keys are kept for longer than their requests. */
function mayHaveRequests({ deactivatedAtMs, expiresAtMs, lastRejectedAtMs }: ApiKey, nowMs: number): boolean {
  const endedAtMs = Math.min(deactivatedAtMs ?? Infinity, expiresAtMs ?? Infinity)
  return Math.max(endedAtMs, lastRejectedAtMs ?? 0) >= nowMs - REQUEST_LOG_RETENTION_MS
}

const CSV_HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="urlmeta-requests.csv"',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
}

function rowOf(logged: LoggedRequest, keyName: string | null) {
  const { atMs, requestId, keyId, method, status, reason, cache, latencyMs, host, path, format } = logged
  const time = new Date(atMs).toISOString()
  return [time, requestId, keyId, keyName, method, status, reason, cache, latencyMs, host, path, format]
}

function filterOf(query: Query, missingId: string): RequestFilter {
  return {
    keyId: query('key') || null,
    result: query('result') || 'all',
    text: query('q')?.trim() || missingId,
    day: rangeOf(query('day') ?? '') && query('day'),
  }
}
