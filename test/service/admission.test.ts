import { describe, expect, test } from 'bun:test'

import { hashApiKey } from '../../src/core/api-key.ts'
import { AppError } from '../../src/core/errors.ts'
import { DEFAULT_PLANS } from '../../src/core/plan.ts'
import { createAccounts } from '../../src/service/accounts.ts'
import { createAdmission } from '../../src/service/admission.ts'
import { createAudit } from '../../src/service/audit.ts'
import { createKeyRing } from '../../src/service/key-ring.ts'
import { createSignInLinks } from '../../src/service/sign-in-links.ts'
import { createLedger } from '../../src/service/ledger.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

const NOON = Date.UTC(2026, 10, 20, 12, 0, 18)

const rethrow = (error: unknown) => {
  throw error
}

async function setUp({ perMinute = 10, perMonth = 1_000 } = {}) {
  const stores = openSqlite(':memory:', { maxResults: 10 })
  const clock = { nowMs: NOON }
  const now = () => clock.nowMs
  const plans = { ...DEFAULT_PLANS, free: { ...DEFAULT_PLANS.free, perMinute, perMonth } }
  let ids = 0
  const { users, keys, usage, tickets, audit: log } = stores
  const chance = {
    now,
    newId: () => `id${ids++}`,
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  }
  const accounts = createAccounts({
    users,
    keys,
    keyRing: createKeyRing({ keys, plans, ...chance }),
    links: createSignInLinks({ tickets, users, ...chance }),
    audit: createAudit({ log, ...chance }),
    plans,
    ...chance,
  })
  const ledger = createLedger({ usage, now, onFault: rethrow })
  const admission = createAdmission({ keys, usage, ledger, limiter: memoryRateLimiter(), plans, now })
  const { id, key } = await accounts.createKey({ email: 'jo@example.com' })
  return { stores, clock, accounts, admission, id, key }
}

const answered = async () => ({ cached: false })

describe('authenticate', () => {
  test('a key leads to its holder and plan', async () => {
    const { admission, key, id } = await setUp()
    expect(await admission.authenticate(key)).toMatchObject({ keyId: id, plan: { name: 'free', perMinute: 10 } })
  })

  test.each([
    ['no key', () => null, 'Missing API key'],
    ['nonsense', () => 'nonsense', 'Invalid API key'],
    ['an unknown key', () => `urlmeta_live_${'0'.repeat(32)}`, 'Invalid API key'],
    ['the hash of the key', hashApiKey, 'Invalid API key'],
    ['the key in upper case', (key: string) => key.toUpperCase(), 'Invalid API key'],
  ])('%s', async (_, spell, message) => {
    const { admission, key } = await setUp()
    await expect(admission.authenticate(spell(key))).rejects.toMatchObject({ kind: 'unauthorized', message })
  })

  test('a deactivated key is refused from the next request on, in the words for an unknown one', async () => {
    const { admission, accounts, key, id } = await setUp()
    await accounts.deactivateKey(id)
    await expect(admission.authenticate(key)).rejects.toMatchObject({
      kind: 'unauthorized',
      message: 'Invalid API key',
    })
  })

  test('a plan change counts from the next request on', async () => {
    const { admission, accounts, key } = await setUp()
    await accounts.setPlan('jo@example.com', 'growth')
    expect((await admission.authenticate(key)).plan.name).toBe('growth')
  })
})

describe('spend', () => {
  test('says where it leaves the caller', async () => {
    const { admission, key } = await setUp()
    const caller = await admission.authenticate(key)
    const resetsAt = Date.UTC(2026, 10, 20, 12, 1) / 1000
    expect(await admission.spend(caller, answered)).toMatchObject({
      minute: { remaining: 9, resetsAt },
      monthUsed: 1,
    })
    expect(await admission.spend(caller, answered)).toMatchObject({ minute: { remaining: 8 }, monthUsed: 2 })
  })

  test.each([
    ['42 seconds before the minute turns', 18_000, 42],
    ['a millisecond before the minute turns', 59_999, 1],
    ['at its first instant', 0, 60],
  ])('a used-up minute, %s', async (_, inMinuteMs, seconds) => {
    const { admission, key, clock } = await setUp({ perMinute: 1 })
    clock.nowMs = Date.UTC(2026, 10, 20, 12) + inMinuteMs
    const caller = await admission.authenticate(key)
    await admission.spend(caller, answered)
    await expect(admission.spend(caller, answered)).rejects.toMatchObject({
      kind: 'minute_limit',
      retryAfterSeconds: seconds,
      message: `Rate limit exceeded: 1 requests per minute allowed on the Free plan. Retry in ${seconds} seconds.`,
    })
  })

  test('a new key in place of a deactivated one brings no new minute', async () => {
    const { admission, accounts } = await setUp({ perMinute: 2 })
    // Free allows two keys, so all keys of the user together have 4 requests in a minute. One key was made before.
    let allowed = 0
    for (let n = 0; n < 6; n++) {
      const { id, key } = await accounts.createKey({ email: 'jo@example.com' })
      const caller = await admission.authenticate(key)
      const [first, second] = await Promise.allSettled([
        admission.spend(caller, () => Promise.reject(new AppError('fetch_failed', 'no'))),
        admission.spend(caller, () => Promise.reject(new AppError('fetch_failed', 'no'))),
      ])
      for (const { reason } of [first, second] as PromiseRejectedResult[]) {
        if (reason.kind === 'fetch_failed') allowed++
        else expect(reason).toMatchObject({ kind: 'minute_limit', retryAfterSeconds: 42 })
      }
      await accounts.deactivateKey(id)
    }
    expect(allowed).toBe(4)
  })

  test('what remains is the smaller remainder, of the key or of all keys of the user', async () => {
    const { admission, accounts, key } = await setUp({ perMinute: 2 })
    const spend = async (by: string) => (await admission.spend(await admission.authenticate(by), answered)).minute
    await spend(key)
    await spend(key)
    const second = await accounts.createKey({ email: 'jo@example.com' })
    expect(await spend(second.key)).toMatchObject({ remaining: 1 })
    await accounts.deactivateKey(second.id)
    const third = await accounts.createKey({ email: 'jo@example.com' })
    expect(await spend(third.key)).toMatchObject({ remaining: 0 })
  })

  test('keys of a plan that allows none go on, with one minute for all of them', async () => {
    const { admission, key } = await setUp({ perMinute: 2 })
    const caller = await admission.authenticate(key)
    const closed = { ...caller, plan: { ...caller.plan, maxKeys: 0 } }
    expect(await admission.spend(closed, answered)).toMatchObject({ minute: { remaining: 1 } })
  })

  test('the playground has a minute of its own', async () => {
    const { admission, key } = await setUp({ perMinute: 1 })
    const { userId, plan } = await admission.authenticate(key)
    await admission.spend({ keyId: null, userId, plan }, answered)
    expect(await admission.spend(await admission.authenticate(key), answered)).toMatchObject({
      minute: { remaining: 0 },
    })
    await expect(admission.spend({ keyId: null, userId, plan }, answered)).rejects.toMatchObject({
      kind: 'minute_limit',
    })
  })

  test('a used-up month', async () => {
    const { admission, key, clock } = await setUp({ perMonth: 1 })
    const caller = await admission.authenticate(key)
    await admission.spend(caller, answered)
    await expect(admission.spend(caller, answered)).rejects.toMatchObject({
      kind: 'month_limit',
      resetsAt: '2026-12-01T00:00:00Z',
      message: 'Monthly limit reached: 1/1 requests used. Upgrade your plan to continue.',
    })
    clock.nowMs = Date.UTC(2026, 11, 1)
    expect(await admission.spend(caller, answered)).toMatchObject({ monthUsed: 1 })
  })

  test('a request refused by the minute takes nothing from the month', async () => {
    const { admission, key, stores } = await setUp({ perMinute: 1 })
    const caller = await admission.authenticate(key)
    await admission.spend(caller, answered)
    await admission.spend(caller, answered).catch(() => null)
    expect(await stores.usage.used(caller.userId, '2026-11')).toBe(1)
  })

  test.each([
    ['fails', new AppError('fetch_failed', 'no'), [{ day: '2026-11-20', answers: 0, cacheHits: 0, failures: 1 }]],
    ['breaks', new TypeError('bug'), [{ day: '2026-11-20', answers: 0, cacheHits: 0, failures: 1 }]],
    ['is left by its client', new AppError('client_closed', 'gone'), []],
  ])('work that %s gives its slot back', async (_, error, daily) => {
    const { admission, key, stores } = await setUp()
    const caller = await admission.authenticate(key)
    await expect(admission.spend(caller, () => Promise.reject(error))).rejects.toBe(error)
    await Bun.sleep(0)
    expect(await stores.usage.used(caller.userId, '2026-11')).toBe(0)
    expect(await stores.usage.daily(caller.keyId, '2026-11-01')).toEqual([...daily])
  })

  test('the slot is taken while the work goes on, so that a burst never overshoots', async () => {
    const { admission, key, stores } = await setUp({ perMinute: 100, perMonth: 5 })
    const caller = await admission.authenticate(key)
    const held = Promise.withResolvers<{ cached: boolean }>()
    const all = Promise.allSettled(Array.from({ length: 40 }, () => admission.spend(caller, () => held.promise)))
    await Bun.sleep(0)
    held.resolve({ cached: false })
    expect((await all).filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await stores.usage.used(caller.userId, '2026-11')).toBe(5)
  })

  test('answers from the cache are counted as such', async () => {
    const { admission, key, stores } = await setUp()
    const caller = await admission.authenticate(key)
    await admission.spend(caller, answered)
    await admission.spend(caller, async () => ({ cached: true }))
    expect(await stores.usage.daily(caller.keyId, '2026-11-01')).toEqual([
      { day: '2026-11-20', answers: 2, cacheHits: 1, failures: 0 },
    ])
  })
})
