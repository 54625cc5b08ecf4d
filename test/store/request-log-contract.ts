import { describe, expect, test } from 'bun:test'

import type { Users } from '../../src/core/accounts/ports.ts'
import type { LoggedRequest, RequestLog } from '../../src/core/usage/request-log.ts'
import { loggedRequest } from '../logged-request.ts'
import type { Open } from './open.ts'

export interface RequestLogStores {
  users: Users
  requestLog: RequestLog
}

const logged = (n: number, of: Partial<LoggedRequest> = {}) =>
  loggedRequest({
    requestId: `r${n}`,
    atMs: n,
    cache: 'HIT',
    latencyMs: n,
    host: 'example.com',
    path: `/${n}`,
    ...of,
  })

/** The contract of every implementation of `RequestLog`. */
export const requestLogContract = (name: string, openStores: Open<RequestLogStores>) =>
  describe(`RequestLog: ${name}`, () => {
    /** The stores with two users, of whom the first logs URLs. */
    async function open() {
      const stores = await openStores()
      await stores.users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 1 })
      await stores.users.ensure({ id: 'u2', email: 'ann@example.com', plan: 'free', createdAtMs: 1 })
      await stores.users.setLogsUrls('u1', true)
      return stores
    }

    const idsOf = async (log: RequestLog, userId = 'u1') =>
      (await log.list(userId, null, 10)).map(({ requestId }) => requestId)

    test('the requests of a user are listed newest first, as they were written', async () => {
      await using stores = await open()
      const failed = logged(2, { status: 502, reason: 'http_status 404', cache: null })
      await stores.requestLog.append([logged(1), failed, logged(3, { userId: 'u2' })])
      expect(await stores.requestLog.list('u1', null, 10)).toEqual([failed, logged(1)])
      expect(await stores.requestLog.list('u3', null, 10)).toEqual([])
    })

    test('the same request id may occur twice; the newest request of the user is found by it', async () => {
      await using stores = await open()
      const newest = logged(1, { details: '{"cacheLayer":"memory"}' })
      await stores.requestLog.append([logged(1), newest, logged(1, { userId: 'u2' }), logged(2)])
      expect(await idsOf(stores.requestLog)).toEqual(['r2', 'r1', 'r1'])
      expect(await stores.requestLog.find('u1', 'r1')).toEqual(newest)
      expect(await stores.requestLog.find('u2', 'r2')).toBeNull()
      expect(await stores.requestLog.find(null, 'r1')).toMatchObject({ userId: 'u2' })
      expect(await stores.requestLog.find(null, 'r3')).toBeNull()
    })

    test('the newest of the given users or keys are kept', async () => {
      await using stores = await open()
      const { requestLog } = stores
      await requestLog.append([1, 2, 3, 4].map((n) => logged(n, { keyId: n === 2 ? 'k2' : 'k1' })))
      await requestLog.append([5, 6].map((n) => logged(n, { userId: 'u2', keyId: 'k3' })))
      await requestLog.trim('keyId', ['k1', 'unknown'], 2)
      expect(await idsOf(requestLog)).toEqual(['r4', 'r3', 'r2'])
      await requestLog.trim('userId', ['u1', 'unknown'], 2)
      expect(await idsOf(requestLog)).toEqual(['r4', 'r3'])
      expect(await idsOf(requestLog, 'u2')).toEqual(['r6', 'r5'])
      await requestLog.trim('keyId', ['k3', 'k1'], 1)
      await requestLog.trim('userId', ['u1', 'u2'], 1)
      expect([await idsOf(requestLog), await idsOf(requestLog, 'u2')]).toEqual([['r4'], ['r6']])
    })

    test('a list can have the requests of one key of the user', async () => {
      await using stores = await open()
      await stores.requestLog.append([logged(1), logged(2, { keyId: 'k2' }), logged(3)])
      const of = async (userId: string, keyId: string) =>
        (await stores.requestLog.list(userId, keyId, 10)).map(({ requestId }) => requestId)
      expect(await of('u1', 'k1')).toEqual(['r3', 'r1'])
      expect(await of('u1', 'k2')).toEqual(['r2'])
      expect(await of('u2', 'k1')).toEqual([])
    })

    test('a list has the newest requests up to its limit', async () => {
      await using stores = await open()
      await stores.requestLog.append([1, 2, 3].map((n) => logged(n)))
      expect((await stores.requestLog.list('u1', null, 2)).map(({ requestId }) => requestId)).toEqual(['r3', 'r2'])
    })

    test('a list can have a range of time, without its end', async () => {
      await using stores = await open()
      await stores.requestLog.append([1, 2, 3, 4].map((n) => logged(n)))
      const listed = await stores.requestLog.list('u1', 'k1', 10, [2, 4])
      expect(listed.map(({ requestId }) => requestId)).toEqual(['r3', 'r2'])
    })

    test('the newest requests of all users, or of one key, are listed newest first with the addresses of their users', async () => {
      await using stores = await open()
      await stores.requestLog.append([
        logged(1),
        logged(2, { userId: 'u2', keyId: 'k2', host: null, path: null }),
        logged(3),
      ])
      const newest = await stores.requestLog.newest(null, 2)
      expect(newest).toEqual([
        { ...logged(3), email: 'jo@example.com' },
        { ...logged(2, { userId: 'u2', keyId: 'k2', host: null, path: null }), email: 'ann@example.com' },
      ])
      const of = async (keyId: string) => (await stores.requestLog.newest(keyId, 9)).map(({ requestId }) => requestId)
      expect([await of('k1'), await of('k2'), await of('k3')]).toEqual([['r3', 'r1'], ['r2'], []])
    })

    test('the requests of a key or of all keys are counted by hour', async () => {
      await using stores = await open()
      const noon = Date.UTC(2026, 10, 20, 12)
      await stores.requestLog.append([
        logged(noon - 1),
        logged(noon, { cache: 'MISS' }),
        logged(noon + 3_599_999),
        logged(noon + 1, { status: 502, reason: 'timeout', cache: null }),
        logged(noon + 3_600_000, { keyId: 'k2' }),
        logged(noon, { userId: 'u2' }),
      ])
      const at12 = { day: '2026-11-20T12', successes: 2, cacheHits: 1, failures: 1 }
      const at13 = { day: '2026-11-20T13', successes: 1, cacheHits: 1, failures: 0 }
      expect(await stores.requestLog.hours('u1', null, noon)).toEqual([at12, at13])
      expect(await stores.requestLog.hours('u1', 'k1', noon)).toEqual([at12])
      expect(await stores.requestLog.hours('u1', 'k3', noon)).toEqual([])
    })

    test('URLs are stored only for users who log them, whatever the request has', async () => {
      await using stores = await open()
      await stores.requestLog.append([logged(1), logged(2, { userId: 'u2' })])
      expect(await stores.requestLog.list('u1', null, 10)).toMatchObject([{ host: 'example.com', path: '/1' }])
      expect(await stores.requestLog.list('u2', null, 10)).toMatchObject([{ host: null, path: null }])
      expect((await stores.users.find('u1'))?.logsUrls).toBe(true)
      await stores.users.setLogsUrls('u1', false)
      await stores.requestLog.eraseUrls('u1')
      await stores.requestLog.append([logged(3)])
      expect(await stores.requestLog.list('u1', null, 10)).toMatchObject([
        { requestId: 'r3', host: null, path: null },
        { requestId: 'r1', host: null, path: null },
      ])
    })

    test('requests of deleted users are not stored, and theirs are deleted with them', async () => {
      await using stores = await open()
      await stores.requestLog.append([logged(1), logged(2, { userId: 'u2' })])
      await stores.users.remove('u1')
      expect(await idsOf(stores.requestLog)).toEqual([])
      await stores.requestLog.append([logged(3), logged(4, { userId: 'u2' }), logged(5, { userId: 'unknown' })])
      expect(await idsOf(stores.requestLog)).toEqual([])
      expect(await idsOf(stores.requestLog, 'u2')).toEqual(['r4', 'r2'])
    })

    test('sweep deletes only older requests', async () => {
      await using stores = await open()
      await stores.requestLog.append([1, 2, 3].map((n) => logged(n)))
      expect(await stores.requestLog.sweep(3)).toBe(2)
      expect(await stores.requestLog.sweep(3)).toBe(0)
      expect(await idsOf(stores.requestLog)).toEqual(['r3'])
    })
  })
