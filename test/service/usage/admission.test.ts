import { describe, expect, test } from 'bun:test'

import { hashApiKey } from '../../../src/core/accounts/api-key.ts'
import { AppError } from '../../../src/core/errors.ts'
import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { createAdmission } from '../../../src/service/usage/admission.ts'
import { createFailedAuthentications } from '../../../src/service/usage/failed-authentications.ts'
import { createUsageMeter } from '../../../src/service/usage/usage-meter.ts'
import { createUsageSettler } from '../../../src/service/usage/usage-settler.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'
import { testAccounts } from '../test-accounts.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'
import { settingsOf } from '../../settings.ts'

const NOON = Date.UTC(2026, 10, 20, 12, 0, 18)

const rethrow = (error: unknown) => {
  throw error
}

async function setUp({ perMinute = 10, perMonth = 1_000, visitorPerMinute = 2 } = {}) {
  const stores = openTemporary({ maxResults: 10 })
  // Usage is in a separate database, because it is only accessed through its port.
  const { usage } = openTemporary({ maxResults: 10 })
  const clock = { nowMs: NOON }
  const now = () => clock.nowMs
  const plans = { ...DEFAULT_PLANS, free: { ...DEFAULT_PLANS.free, perMinute, perMonth } }
  const { keys } = stores
  let ids = 0
  const accounts = testAccounts({ ...stores, usage }, plans, { now, newId: () => `id${ids++}` })
  const meter = createUsageMeter({ usage, endOfTurn: setImmediate })
  const settler = createUsageSettler({ meter, repeat: () => ({ [Symbol.dispose]() {} }), onFault: rethrow })
  const limiter = memoryRateLimiter()
  const failedAuthentications = createFailedAuthentications({ limiter: memoryRateLimiter(), now })
  const admission = createAdmission({
    keys,
    meter,
    settler,
    limiter,
    failedAuthentications,
    settings: settingsOf({ plans }),
    visitorPerMinute,
    now,
  })
  const { id, key } = await accounts.createKey({ email: 'jo@example.com' })
  const used = async (userId: string) => (await usage.used([userId], '2026-11')).get(userId) ?? 0
  return { usage, used, clock, accounts, admission, settler, id, key }
}

/** An unknown client address. */
const unknownClient = () => null

const nothing = async () => null
const working = (work: () => Promise<{ cached: boolean }>) => ({ stored: nothing, work })
const fetched = working(async () => ({ cached: false }))
const failing = working(() => Promise.reject(new AppError('fetch_failed', 'no')))
const stored = { stored: async () => ({ cached: true }), work: () => Promise.reject(new Error('not called')) }

describe('authenticate', () => {
  test('a key gives its user and their limits', async () => {
    const { admission, key, id } = await setUp()
    expect(await admission.authenticate(key, unknownClient)).toMatchObject({
      keyId: id,
      limits: { name: 'free', perMinute: 10 },
    })
  })

  test.each([
    ['no key', () => null, 'Missing API key'],
    ['nonsense', () => 'nonsense', 'Invalid API key'],
    ['an unknown key', () => `urlmeta_live_${'0'.repeat(32)}`, 'Invalid API key'],
    ['the hash of the key', hashApiKey, 'Invalid API key'],
    ['the key in upper case', (key: string) => key.toUpperCase(), 'Invalid API key'],
  ])('%s', async (_, spell, message) => {
    const { admission, key } = await setUp()
    await expect(admission.authenticate(spell(key), unknownClient)).rejects.toMatchObject({
      kind: 'unauthorized',
      message,
    })
  })

  test('a deactivated key is rejected with the next request, with the same message as an unknown one', async () => {
    const { admission, accounts, key, id } = await setUp()
    await accounts.deactivateKey(id)
    await expect(admission.authenticate(key, unknownClient)).rejects.toMatchObject({
      kind: 'unauthorized',
      message: 'Invalid API key',
    })
  })

  test('a plan change takes effect with the next request', async () => {
    const { admission, accounts, key } = await setUp()
    await accounts.setPlan('jo@example.com', 'growth')
    expect((await admission.authenticate(key, unknownClient)).limits.name).toBe('growth')
  })
})

describe('withQuota', () => {
  test('returns the remaining quota', async () => {
    const { admission, key } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    const resetsAt = Date.UTC(2026, 10, 20, 12, 1) / 1000
    expect(await admission.withQuota(caller, fetched)).toMatchObject({
      minute: { remaining: 9, resetsAt },
      monthUsed: 1,
    })
    expect(await admission.withQuota(caller, fetched)).toMatchObject({ minute: { remaining: 8 }, monthUsed: 2 })
  })

  test.each([
    ['42 seconds before the minute ends', 18_000, 42],
    ['a millisecond before the minute ends', 59_999, 1],
    ['at its first instant', 0, 60],
  ])('the limit per minute, %s', async (_, inMinuteMs, seconds) => {
    const { admission, key, clock } = await setUp({ perMinute: 1 })
    clock.nowMs = Date.UTC(2026, 10, 20, 12) + inMinuteMs
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(caller, fetched)
    await expect(admission.withQuota(caller, fetched)).rejects.toMatchObject({
      kind: 'minute_limit',
      retryAfterSeconds: seconds,
      message: `Rate limit exceeded: 1 requests per minute allowed on the Free plan. Retry in ${seconds} seconds.`,
    })
  })

  test('replacing a key does not reset the limit per minute', async () => {
    const { admission, accounts } = await setUp({ perMinute: 2 })
    // Free allows two keys, so all keys of the user together have 4 requests in a minute. One key already exists.
    let allowed = 0
    for (let n = 0; n < 6; n++) {
      const { id, key } = await accounts.createKey({ email: 'jo@example.com' })
      const caller = await admission.authenticate(key, unknownClient)
      const [first, second] = await Promise.allSettled([
        admission.withQuota(caller, failing),
        admission.withQuota(caller, failing),
      ])
      for (const { reason } of [first, second] as PromiseRejectedResult[]) {
        if (reason.kind === 'fetch_failed') allowed++
        else expect(reason).toMatchObject({ kind: 'minute_limit', retryAfterSeconds: 42 })
      }
      await accounts.deactivateKey(id)
    }
    expect(allowed).toBe(4)
  })

  test('the remaining requests are the lower of the key and of all keys of the user', async () => {
    const { admission, accounts, key } = await setUp({ perMinute: 2 })
    const request = async (by: string) =>
      (await admission.withQuota(await admission.authenticate(by, unknownClient), fetched)).minute
    await request(key)
    await request(key)
    const second = await accounts.createKey({ email: 'jo@example.com' })
    expect(await request(second.key)).toMatchObject({ remaining: 1 })
    await accounts.deactivateKey(second.id)
    const third = await accounts.createKey({ email: 'jo@example.com' })
    expect(await request(third.key)).toMatchObject({ remaining: 0 })
  })

  test('keys of a plan that allows none keep working and share one limit', async () => {
    const { admission, key } = await setUp({ perMinute: 2 })
    const caller = await admission.authenticate(key, unknownClient)
    const closed = { ...caller, limits: { ...caller.limits, maxKeys: 0 } }
    expect(await admission.withQuota(closed, fetched)).toMatchObject({ minute: { remaining: 1 } })
  })

  test("images and the playground have the user's own limits", async () => {
    const { admission, accounts, key } = await setUp({ perMinute: 50 })
    await accounts.setLimits('jo@example.com', { perMinute: 2 })
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota({ ...caller, keyId: null }, fetched)
    await admission.withQuota({ ...caller, keyId: null }, fetched)
    await expect(admission.withQuota({ ...caller, keyId: null }, fetched)).rejects.toMatchObject({
      kind: 'minute_limit',
      message: expect.stringContaining('2 requests per minute allowed for this account.'),
    })
    const countImage = (visitor: string) => admission.countImage(caller, visitor)
    for (const visitor of ['a', 'a', 'b', 'b']) await countImage(visitor)
    await expect(countImage('a')).rejects.toMatchObject({ message: expect.stringContaining('2 requests per minute') })
    await expect(countImage('c')).rejects.toMatchObject({ message: expect.stringContaining('4 images per minute') })
  })

  test('the playground has its own limit per minute', async () => {
    const { admission, key } = await setUp({ perMinute: 1 })
    const { userId, limits } = await admission.authenticate(key, unknownClient)
    await admission.withQuota({ keyId: null, userId, limits }, fetched)
    expect(await admission.withQuota(await admission.authenticate(key, unknownClient), fetched)).toMatchObject({
      minute: { remaining: 0 },
    })
    await expect(admission.withQuota({ keyId: null, userId, limits }, fetched)).rejects.toMatchObject({
      kind: 'minute_limit',
    })
  })

  test('the monthly limit', async () => {
    const { admission, key, clock } = await setUp({ perMonth: 1 })
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(caller, fetched)
    await expect(admission.withQuota(caller, fetched)).rejects.toMatchObject({
      kind: 'month_limit',
      resetsAt: '2026-12-01T00:00:00Z',
      message: 'Monthly limit reached: 1/1 requests used. Upgrade your plan to continue.',
    })
    clock.nowMs = Date.UTC(2026, 11, 1)
    expect(await admission.withQuota(caller, fetched)).toMatchObject({ monthUsed: 1 })
  })

  test.each([
    ['that succeeds', async () => ({ cached: false }), { successes: 1, failures: 0 }],
    ['that fails', failing.work, { successes: 0, failures: 1 }],
  ])('a request in progress at the end of a month, %s, belongs to the day of its start', async (_, work, day) => {
    const { admission, key, clock, usage } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    clock.nowMs = Date.UTC(2026, 11, 1) - 1
    const slow = working(() => {
      clock.nowMs += 2
      return work()
    })
    await Promise.allSettled([admission.withQuota(caller, slow)])
    const days = await usage.days(caller.userId, null, '2026-11-01')
    expect(days).toMatchObject([{ day: '2026-11-30', ...day }])
    expect(await usage.months(caller.userId)).toEqual(day.successes === 1 ? [{ month: '2026-11', used: 1 }] : [])
  })

  test('a request rejected by the limit per minute does not count against the month', async () => {
    const { admission, key, used } = await setUp({ perMinute: 1 })
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(caller, fetched)
    await admission.withQuota(caller, fetched).catch(() => null)
    expect(await used(caller.userId)).toBe(1)
  })

  test.each([
    ['fails', new AppError('fetch_failed', 'no'), [{ day: '2026-11-20', successes: 0, cacheHits: 0, failures: 1 }]],
    [
      'throws an unexpected error',
      new TypeError('bug'),
      [{ day: '2026-11-20', successes: 0, cacheHits: 0, failures: 1 }],
    ],
    ['is abandoned by its client', new AppError('client_closed', 'gone'), []],
  ])('work that %s releases its unit', async (_, error, daily) => {
    const { admission, key, usage, used } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    await expect(
      admission.withQuota(
        caller,
        working(() => Promise.reject(error)),
      ),
    ).rejects.toBe(error)
    expect(await used(caller.userId)).toBe(0)
    expect(await usage.days(caller.userId, caller.keyId, '2026-11-01')).toEqual([...daily])
  })

  test('disposing the settler waits for work in progress, which then releases its unit', async () => {
    const { admission, settler, key, used } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    const [started, held] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
    const work = () => (started.resolve(), held.promise)
    const request = admission.withQuota(caller, working(work)).catch((error: unknown) => error)
    await started.promise
    expect(await used(caller.userId)).toBe(1)
    const disposed = settler[Symbol.asyncDispose]()
    held.reject(new AppError('client_closed', 'gone'))
    await disposed
    expect(await used(caller.userId)).toBe(0)
    expect(await request).toMatchObject({ kind: 'client_closed' })
  })

  test('the unit is reserved during the work, so that a burst never exceeds the limit', async () => {
    const { admission, key, used } = await setUp({ perMinute: 100, perMonth: 5 })
    const caller = await admission.authenticate(key, unknownClient)
    const held = Promise.withResolvers<{ cached: boolean }>()
    const all = Promise.allSettled(
      Array.from({ length: 40 }, () =>
        admission.withQuota(
          caller,
          working(() => held.promise),
        ),
      ),
    )
    await Bun.sleep(0)
    held.resolve({ cached: false })
    expect((await all).filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await used(caller.userId)).toBe(5)
  })

  test('results from the cache are counted as cache hits', async () => {
    const { admission, key, usage } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(caller, fetched)
    await admission.withQuota(caller, stored)
    expect(await usage.days(caller.userId, caller.keyId, '2026-11-01')).toEqual([
      { day: '2026-11-20', successes: 2, cacheHits: 1, failures: 0 },
    ])
  })

  test('a result cached while its unit was being reserved is counted as a cache hit', async () => {
    const { admission, key, usage } = await setUp()
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(
      caller,
      working(async () => ({ cached: true })),
    )
    expect(await usage.days(caller.userId, caller.keyId, '2026-11-01')).toMatchObject([{ successes: 1, cacheHits: 1 }])
  })

  test('a stored result is rejected at the monthly limit and not counted', async () => {
    const { admission, key, used } = await setUp({ perMonth: 1 })
    const caller = await admission.authenticate(key, unknownClient)
    await admission.withQuota(caller, stored)
    await expect(admission.withQuota(caller, stored)).rejects.toMatchObject({ kind: 'month_limit', used: 1 })
    expect(await used(caller.userId)).toBe(1)
  })

  test('of 600 concurrent stored results exactly 100 are returned with a monthly limit of 100', async () => {
    const { admission, key, used } = await setUp({ perMinute: 1_000, perMonth: 100 })
    const caller = await admission.authenticate(key, unknownClient)
    const all = await Promise.allSettled(Array.from({ length: 600 }, () => admission.withQuota(caller, stored)))
    const counts = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.monthUsed] : []))
    expect(counts).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    expect(await used(caller.userId)).toBe(100)
  })
})

describe('a visitor of a page', () => {
  test.each([
    ['has the configured limit', 62, 30, 30, 60],
    ['has half of the requests of a key with twice the configured limit', 60, 30, 30, 60],
    ['has half of the requests of a key with slightly fewer', 58, 30, 29, 58],
    ['has half of the requests of a key with few', 10, 30, 5, 10],
    ['has half of an odd number, rounded down', 11, 30, 5, 11],
    ['has one request and one image of a key with one request', 1, 30, 1, 1],
    ['has the images of one response if one request is configured', 100, 1, 1, 2],
  ])('%s', async (_, perMinute, visitorPerMinute, requests, images) => {
    const { admission, key } = await setUp({ perMinute, visitorPerMinute })
    const caller = await admission.authenticate(key, unknownClient)
    const limitOf = (limit: number) => ({
      kind: 'visitor_limit',
      message: `Rate limit exceeded: ${limit} requests per minute allowed per client address. Retry in 42 seconds.`,
    })
    const request = (visitor: string) => admission.withQuota(caller, fetched, visitor)
    for (let n = 0; n < requests; n++) await request('a')
    await expect(request('a')).rejects.toMatchObject(limitOf(requests))
    for (let n = 0; n < images; n++) await admission.countImage(caller, 'a')
    await expect(admission.countImage(caller, 'a')).rejects.toMatchObject(limitOf(images))
    if (perMinute > 1) await request('b')
    await admission.countImage(caller, 'b')
  })
})
