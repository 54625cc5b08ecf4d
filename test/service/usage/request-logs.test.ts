import { expect, test } from 'bun:test'

import { REQUEST_LOG_RETENTION_MS } from '../../../src/core/lifetimes.ts'
import { ALL_REQUESTS, MAX_LOGGED_OF_KEY, type RequestFilter } from '../../../src/core/usage/request-log.ts'
import { createRequestLogs } from '../../../src/service/usage/request-logs.ts'
import { loggedRequest } from '../../logged-request.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

async function setUp() {
  const stores = openTemporary({ maxResults: 1 })
  const { requestLog, users } = stores
  const user = await users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 1 })
  const logs = createRequestLogs({ requestLog, users, now: () => NOON })
  return { requestLog, users, user, logs, [Symbol.dispose]: () => stores[Symbol.dispose]() }
}

test.each([
  ['of exactly a week ago', NOON - REQUEST_LOG_RETENTION_MS, true],
  ['older than a week, which the next sweep deletes', NOON - REQUEST_LOG_RETENTION_MS - 1, false],
])('a request %s', async (_, atMs, isShown) => {
  using world = await setUp()
  const logged = loggedRequest({ requestId: 'r1', atMs })
  await world.requestLog.append([logged])
  const day = new Date(atMs).toISOString().slice(0, 10)
  const shown = isShown ? [logged] : []
  expect(await world.logs.find('u1', 'r1')).toEqual(isShown ? logged : null)
  for (const filter of [ALL_REQUESTS, { ...ALL_REQUESTS, day }]) {
    expect(await world.logs.all('u1', filter)).toEqual(shown)
    expect((await world.logs.page('u1', filter, 1)).requests).toEqual(shown)
  }
})

test('a request beyond the last 1,000 is found by its ID, unless the filter excludes it', async () => {
  using world = await setUp()
  const { requestLog, logs } = world
  const of = (requestId: string, more = {}) => loggedRequest({ requestId, atMs: NOON, ...more })
  await requestLog.append([
    of('first'),
    ...Array.from({ length: MAX_LOGGED_OF_KEY }, (_, n) => of(`r${n}`, { keyId: 'k2' })),
  ])
  const found = async (filter: Partial<RequestFilter>) =>
    (await logs.page('u1', { ...ALL_REQUESTS, ...filter }, 1)).requests.map(({ requestId }) => requestId)
  expect(await found({})).not.toContain('first')
  expect(await found({ text: 'first' })).toEqual(['first'])
  expect(await found({ text: 'first', result: 'failed' })).toEqual([])
  expect(await found({ text: 'first', keyId: 'k2' })).toEqual([])
  expect(await found({ text: 'first', day: '2026-11-19' })).toEqual([])
})

test('the newest requests of all users are those of the last week that match, oldest first', async () => {
  using world = await setUp()
  const { requestLog, users, logs } = world
  await users.ensure({ id: 'u2', email: 'ann@example.com', plan: 'free', createdAtMs: 1 })
  await requestLog.append([
    loggedRequest({ requestId: 'old', atMs: NOON - REQUEST_LOG_RETENTION_MS - 1 }),
    loggedRequest({ requestId: 'a', atMs: NOON }),
    loggedRequest({ requestId: 'b', atMs: NOON, userId: 'u2', keyId: 'k2', reason: 'timeout', status: 502 }),
    loggedRequest({ requestId: 'c', atMs: NOON }),
  ])
  const newest = async (keyId: string | null, result: string, limit: number) =>
    (await logs.newest({ keyId, result }, limit)).map(({ requestId, email }) => `${requestId} ${email}`)
  expect(await newest(null, 'all', 9)).toEqual(['a jo@example.com', 'b ann@example.com', 'c jo@example.com'])
  expect(await newest(null, 'all', 2)).toEqual(['b ann@example.com', 'c jo@example.com'])
  expect(await newest(null, 'failed', 9)).toEqual(['b ann@example.com'])
  expect(await newest('k1', 'ok', 1)).toEqual(['c jo@example.com'])
  expect(await newest('k2', 'http_status 404', 9)).toEqual([])
})

test('URLs of requests that are written while their logging is disabled are deleted too', async () => {
  using world = await setUp()
  const { requestLog, users, user } = world
  await users.setLogsUrls('u1', true)
  const late = loggedRequest({ requestId: 'r1', atMs: NOON, host: 'example.com', path: '/late' })
  const racing = {
    ...users,
    async setLogsUrls(id: string, logsUrls: boolean) {
      await requestLog.append([late])
      await users.setLogsUrls(id, logsUrls)
    },
  }
  const logs = createRequestLogs({ requestLog, users: racing, now: () => NOON })
  await logs.setLogsUrls(user, false)
  expect(await logs.find('u1', 'r1')).toEqual({ ...late, host: null, path: null })
})
