import { Elysia } from 'elysia'

import type { ApiKey } from '../../core/accounts/ports.ts'
import { type ErrorKind, type FailureCause, FETCH_FAILURES } from '../../core/errors.ts'
import { loggedMethodReason } from '../../core/fetch/method-reason.ts'
import { REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import { rangeOf } from '../../core/period.ts'
import type { RequestDetails } from '../../core/fetch/summary.ts'
import type { LoggedRequest, RequestFilter } from '../../core/usage/request-log.ts'
import { RequestPage } from '../../../views/request.tsx'
import type { RequestContext } from '../session/request-context.ts'
import { RequestsPage } from '../../../views/requests.tsx'
import { csvOf } from '../pages/csv.ts'
import { type Query, queryOf } from '../server/query.ts'
import { pageNumber, pagingOf } from '../pages/paging.ts'
import type { RouteContext } from './route-context.ts'

const COLUMNS = 'time request_id key_id key_name method status reason cache latency_ms host path format'.split(' ')

/** `/usage/requests`: the latest requests of the user's keys, as a page and as CSV. */
export function requestRoutes({ auth, keyRing, requestLogs, now }: RouteContext) {
  async function showOne(context: RequestContext, userId: string, logged: LoggedRequest) {
    const apiKey = (await keyRing.all(userId)).find(({ id }) => id === logged.keyId) ?? null
    const details = logged.details === null ? {} : (JSON.parse(logged.details) as RequestDetails)
    return context.render({ path: '/usage/requests' }, RequestPage, {
      request: logged,
      details,
      methodReason: loggedMethodReason(details),
      apiKey,
      cause: causeOf(logged.reason),
    })
  }

  return new Elysia({ prefix: '/usage' })
    .use(auth.signedInUser)
    .get('/requests', async ({ request, context, viewer: { user } }) => {
      const query = queryOf(request)
      const wanted = query('id')?.trim() || null
      const found = wanted === null ? null : await requestLogs.find(user.id, wanted)
      if (found !== null) return showOne(context, user.id, found)
      const filter = filterOf(query)
      const page = pageNumber(query('page'))
      const [{ requests, summary, values }, all] = await Promise.all([
        requestLogs.page(user.id, filter, page),
        keyRing.all(user.id),
      ])
      return context.render({ path: '/usage/requests' }, RequestsPage, {
        keys: all.filter((key) => key.id === filter.keyId || mayHaveRequests(key, now())),
        filter,
        values,
        loggedDays: requestLogs.days(),
        requests,
        summary,
        paging: pagingOf(page, summary.total),
        missingId: wanted,
        logsUrls: user.logsUrls,
      })
    })
    .get('/requests.csv', async ({ request, viewer: { user } }) => {
      const [requests, keys] = await Promise.all([
        requestLogs.all(user.id, filterOf(queryOf(request))),
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

/** Why a request failed, from its reason: `timeout`, `http_status 404`, `minute_limit`, `key_expired 2026-11-28`. */
function causeOf(reason: string): FailureCause | null {
  if (reason === 'ok') return null
  const [name = '', status] = reason.split(' ')
  const failure = FETCH_FAILURES.find((known) => known === name) ?? null
  const kind = failure === null ? (name as ErrorKind) : 'fetch_failed'
  return { kind, failure, siteStatus: status === undefined ? null : Number(status) }
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

function filterOf(query: Query): RequestFilter {
  const cache = query('cache')
  return {
    keyId: query('key') || null,
    result: query('result') || 'all',
    cache: cache === 'HIT' || cache === 'MISS' ? cache : 'all',
    host: query('host') || null,
    day: rangeOf(query('day') ?? '') && query('day'),
  }
}
