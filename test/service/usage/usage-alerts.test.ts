import { describe, expect, spyOn, test } from 'bun:test'

import { FetchError } from '../../../src/core/errors.ts'
import { UNRESTRICTED } from '../../../src/core/accounts/key-settings.ts'
import type { User } from '../../../src/core/accounts/ports.ts'
import { monthOf } from '../../../src/core/period.ts'
import { startUsageAlerts, type UsageAlertService } from '../../../src/service/usage/usage-alerts.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'
import { settingsOf } from '../../settings.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const MINUTE_MS = 60_000

/** Alerts of one user on the free plan, with 1,000 requests per month. `tick` runs a check and waits for its end. */
async function setUp() {
  const stores = openTemporary({ maxResults: 10 })
  const user = await stores.users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 1 })
  const world = {
    nowMs: NOON,
    fault: null as Error | null,
    /** Attempts end with it, or when the sender is closed; null if they end immediately. */
    response: null as PromiseWithResolvers<void> | null,
    usageFault: null as Error | null,
    sent: [] as { url: string; body: object }[],
    errors: [] as unknown[],
    /** Why attempts failed; null for those that did not. */
    attempts: [] as (string | null)[],
  }
  let ids = 0
  const start = () => {
    let run = () => {}
    const service = startUsageAlerts({
      alerts: stores.alerts,
      usage: {
        ...stores.usage,
        used: (userIds, month) =>
          world.usageFault ? Promise.reject(world.usageFault) : stores.usage.used(userIds, month),
      },
      sender: {
        async send(url, _headers, body) {
          world.sent.push({ url: url.href, body: JSON.parse(body) })
          await world.response?.promise
          if (world.fault) throw world.fault
        },
        [Symbol.dispose]: () => void world.response?.reject(new Error('the sender is closed')),
      },
      limiter: memoryRateLimiter(),
      settings: settingsOf(),
      repeat: (tick) => {
        run = tick
        return { [Symbol.dispose]: () => {} }
      },
      now: () => world.nowMs,
      newId: () => `id${ids++}`,
      randomBytes: (length) => new Uint8Array(length).fill(ids++),
      onError: (error) => void world.errors.push(error),
      onAttempt: (_, reason) => void world.attempts.push(reason),
    })
    const tick = async (laterMs = 0) => {
      // Ends the check that is running already.
      await Bun.sleep(1)
      world.nowMs += laterMs
      run()
      await Bun.sleep(1)
    }
    return { service, tick }
  }
  const use = async (used: number) => {
    const unit = { userId: 'u1', keyId: 'k1', month: monthOf(world.nowMs) }
    const requests = Array.from({ length: used }, () => ({ unit, limit: 1_000, chargedAtMs: world.nowMs }))
    await stores.usage.apply({ requests, settlements: [] })
  }
  const thresholds = () =>
    world.sent.map(({ body }) => (body as { data: { threshold_percent: number } }).data.threshold_percent)
  return { ...start(), start, stores, user, world, use, thresholds }
}

test("a user's own monthly limit decides when a threshold is reached, also after a change", async () => {
  const {
    service,
    tick,
    user,
    stores: { users },
    world,
    use,
    thresholds,
  } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await users.setPlan(user.email, { perMonth: 5_000 })
  await use(900)
  await tick()
  expect(world.sent).toEqual([])
  await users.setPlan(user.email, { perMonth: 1_125 })
  await tick(MINUTE_MS)
  expect(thresholds()).toEqual([80])
  expect(world.sent).toMatchObject([{ body: { data: { used: 900, limit: 1_125 } } }])
  await service.sendTest({ ...user, perMonth: 7 })
  expect(world.sent.at(-1)).toMatchObject({ body: { data: { limit: 7 } } })
})

test('each threshold is reported once per month, also after a restart', async () => {
  const { service, start, tick, user, world, use, thresholds } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(799)
  await tick()
  expect(world.sent).toEqual([])
  await use(1)
  await tick()
  await tick(MINUTE_MS)
  expect(world.sent).toEqual([
    {
      url: 'https://hooks.example/a',
      body: {
        id: expect.any(String),
        type: 'usage.threshold_reached',
        created_at: '2026-11-20T12:00:00.000Z',
        data: { threshold_percent: 80, month: '2026-11', used: 800, limit: 1_000, resets_at: '2026-12-01T00:00:00Z' },
      },
    },
  ])
  await service[Symbol.asyncDispose]()
  const restarted = start()
  await use(200)
  await restarted.tick(MINUTE_MS)
  await restarted.tick(MINUTE_MS)
  expect(thresholds()).toEqual([80, 100])
  // The next month starts from zero.
  await restarted.tick(30 * 24 * 60 * MINUTE_MS)
  expect(thresholds()).toEqual([80, 100])
  await use(800)
  await restarted.tick(MINUTE_MS)
  expect(thresholds()).toEqual([80, 100, 80])
  expect(world.errors).toEqual([])
})

test('later checks do not write a threshold that is recorded already', async () => {
  const { service, tick, stores, user, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  using record = spyOn(stores.alerts, 'record')
  await tick()
  await tick(MINUTE_MS)
  expect(record).toHaveBeenCalledTimes(1)
})

test('an alert that is sent, and cannot be stored as sent at first, is not sent again', async () => {
  const { service, tick, stores, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  using _ = spyOn(stores.alerts, 'settle').mockImplementationOnce(() => Promise.reject(new Error('connection closed')))
  await tick()
  await tick(30 * MINUTE_MS)
  expect(world.sent).toHaveLength(1)
  expect(world.attempts).toEqual([null])
})

test('an alert that is sent, but cannot be stored as sent, is reported', async () => {
  const { service, tick, stores, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  const fault = new Error('disk full')
  using _ = spyOn(stores.alerts, 'settle').mockImplementation(() => Promise.reject(fault))
  await tick()
  expect(world.sent).toHaveLength(1)
  expect(world.errors).toEqual([fault])
  expect(world.attempts).toEqual([null])
})

test('a check of many users yields to requests', async () => {
  const { stores, tick, world } = await setUp()
  for (let i = 0; i < 400; i++) {
    const userId = `w${i}`
    await stores.users.ensure({ id: userId, email: `${userId}@example.com`, plan: 'free', createdAtMs: 1 })
    await stores.alerts.setWebhook({ userId, url: 'https://hooks.example/', secret: 's', createdAtMs: 1 })
  }
  let turns = 0
  const turnsOfSteps: number[] = []
  using stack = new DisposableStack()
  const countTurn = () => {
    turns++
    next = setImmediate(countTurn)
  }
  let next = setImmediate(countTurn)
  stack.defer(() => clearImmediate(next))
  const { used } = stores.usage
  using _ = spyOn(stores.usage, 'used').mockImplementation((...args) => {
    turnsOfSteps.push(turns)
    return used(...args)
  })
  await tick()
  while (turnsOfSteps.length < 3) await Bun.sleep(1)
  expect(new Set(turnsOfSteps).size).toBe(turnsOfSteps.length)
  expect(world.errors).toEqual([])
})

test('a key is reported a week before each expiry, once, also after a restart', async () => {
  const { service, start, tick, stores, user, world } = await setUp()
  const DAY_MS = 24 * 60 * MINUTE_MS
  const key = { ...UNRESTRICTED, id: 'k1', userId: 'u1', name: 'ci', hash: 'h', lastFour: '0001', createdAtMs: 1 }
  await stores.keys.create({ ...key, expiresAtMs: NOON + 8 * DAY_MS }, 9)
  await service.setUrl(user, 'https://hooks.example/a')
  await tick(DAY_MS - 1)
  expect(world.sent).toEqual([])
  // The keys are in another table than the usage.
  world.usageFault = new Error('down')
  await tick(1)
  await tick(MINUTE_MS)
  expect(world.sent).toMatchObject([
    {
      body: {
        type: 'key.expiring',
        created_at: '2026-11-21T12:00:00.000Z',
        data: { key_id: 'k1', key_name: 'ci', expires_at: '2026-11-28T12:00:00.000Z' },
      },
    },
  ])
  await service[Symbol.asyncDispose]()
  const restarted = start()
  await restarted.tick(MINUTE_MS)
  expect(world.sent).toHaveLength(1)
  await stores.keys.update('u1', 'k1', { expiresAtMs: NOON + 9 * DAY_MS }, world.nowMs)
  await restarted.tick(DAY_MS)
  expect(world.sent.map(({ body }) => (body as { data: object }).data)).toMatchObject([
    {},
    { expires_at: '2026-11-29T12:00:00.000Z' },
  ])
})

test('a check reports all keys that expire soon, in steps', async () => {
  const COUNT = 450
  const { service, tick, stores, user, world } = await setUp()
  for (let i = 0; i < COUNT; i++) {
    const named = { ...UNRESTRICTED, id: `k${i}`, userId: 'u1', name: 'ci', hash: `h${i}`, lastFour: '0001' }
    await stores.keys.create({ ...named, createdAtMs: 1, expiresAtMs: NOON + 60 * MINUTE_MS }, COUNT)
  }
  await service.setUrl(user, 'https://hooks.example/a')
  await tick(MINUTE_MS)
  while (world.sent.length < COUNT) await Bun.sleep(1)
  await tick(MINUTE_MS)
  expect(world.sent).toHaveLength(COUNT)
})

describe('a threshold that is reached after the last check of a month', () => {
  const LAST_CHECK = Date.UTC(2026, 10, 30, 23, 59, 30)
  const november = { data: { threshold_percent: 80, month: '2026-11', resets_at: '2026-12-01T00:00:00Z' } }

  async function reachAfterLastCheck() {
    const context = await setUp()
    await context.service.setUrl(context.user, 'https://hooks.example/a')
    context.world.nowMs = LAST_CHECK
    await context.tick()
    await context.use(800)
    expect(context.world.sent).toEqual([])
    return context
  }

  test('is reported by the next check, once', async () => {
    const { tick, world } = await reachAfterLastCheck()
    await tick(MINUTE_MS)
    expect(world.sent.map(({ body }) => body)).toMatchObject([november])
    await tick(MINUTE_MS)
    expect([world.sent.length, world.errors]).toEqual([1, []])
  })

  test.each([
    ['is reported after a restart within the hour', 60 * MINUTE_MS, 1],
    ['is not reported by a server that starts later', 61 * MINUTE_MS, 0],
  ])('%s', async (_, laterMs, alerts) => {
    const { service, start, world } = await reachAfterLastCheck()
    await service[Symbol.asyncDispose]()
    world.nowMs = LAST_CHECK + laterMs
    await start().tick()
    expect(world.sent).toHaveLength(alerts)
  })

  test('is reported once the usage can be read', async () => {
    const { tick, world } = await reachAfterLastCheck()
    world.usageFault = new Error('down')
    await tick(MINUTE_MS)
    expect(world.sent).toEqual([])
    world.usageFault = null
    await tick(24 * 60 * MINUTE_MS)
    expect(world.sent.map(({ body }) => body)).toMatchObject([november])
  })
})

test('a failed alert is retried with growing delays, and given up after the seventh attempt', async () => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  world.fault = new FetchError('http_status', { reason: 'HTTP 500', siteStatus: 500 })
  await tick()
  expect(world.sent).toHaveLength(1)
  const delays = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS)
  for (const [index, delayMs] of delays.entries()) {
    await tick(delayMs - 1)
    expect(world.sent).toHaveLength(index + 1)
    await tick(1)
    expect(world.sent).toHaveLength(index + 2)
  }
  await tick(30 * 24 * 60 * MINUTE_MS)
  expect(world.sent).toHaveLength(7)
  const ids = new Set(world.sent.map(({ body }) => (body as { id: string }).id))
  expect(ids.size).toBe(1)
  const { alerts } = await service.settings(user.id)
  expect(alerts).toMatchObject([{ attempts: 7, nextAttemptAtMs: null, deliveredAtMs: null, error: 'HTTP 500' }])
})

test('after a failure a success ends the delivery', async () => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  world.fault = new Error('a bug')
  await tick()
  expect((await service.settings(user.id)).alerts).toMatchObject([{ error: 'internal error' }])
  expect(world.errors).toHaveLength(1)
  world.fault = null
  await tick(MINUTE_MS)
  await tick(60 * MINUTE_MS)
  expect(world.sent).toHaveLength(2)
  expect((await service.settings(user.id)).alerts).toMatchObject([{ error: null, deliveredAtMs: NOON + MINUTE_MS }])
})

test('a failed alert is retried while the usage cannot be read', async () => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  world.fault = new FetchError('timeout')
  await tick()
  world.fault = null
  world.usageFault = new Error('down')
  await tick(MINUTE_MS)
  expect(world.sent).toHaveLength(2)
  expect(world.errors).toEqual([world.usageFault])
})

test('an alert that was given up is sent to a new URL immediately, and retried from the start', async () => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/typo')
  await use(800)
  world.fault = new FetchError('http_status', { reason: 'HTTP 404', siteStatus: 404 })
  await tick()
  for (let n = 0; n < 6; n++) await tick(24 * 60 * MINUTE_MS)
  expect(world.sent).toHaveLength(7)
  expect((await service.settings(user.id)).alerts).toMatchObject([{ attempts: 7, nextAttemptAtMs: null }])
  world.nowMs += MINUTE_MS
  await service.setUrl(user, 'https://hooks.example/right')
  await tick()
  expect(world.sent[7]).toMatchObject({ url: 'https://hooks.example/right', body: world.sent[0]!.body })
  world.fault = null
  await tick(MINUTE_MS)
  expect((await service.settings(user.id)).alerts).toMatchObject([{ attempts: 2, error: null }])
  // Saving the URL again sends nothing that was delivered.
  await service.setUrl(user, 'https://hooks.example/right')
  await tick()
  expect(world.sent).toHaveLength(9)
})

test.each([
  ['a new URL', (service: UsageAlertService, user: User) => service.setUrl(user, 'https://hooks.example/right')],
  [
    'removing and adding the webhook',
    async (service: UsageAlertService, user: User) => {
      await service.remove(user.id)
      await service.setUrl(user, 'https://hooks.example/right')
    },
  ],
])('%s during the last attempt: the alert is sent again after its failure', async (_, change) => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/slow')
  await use(800)
  world.fault = new FetchError('timeout', { reason: 'timed out after 10000 ms' })
  await tick()
  for (let n = 0; n < 5; n++) await tick(24 * 60 * MINUTE_MS)
  world.response = Promise.withResolvers()
  await tick(24 * 60 * MINUTE_MS)
  await change(service, user)
  world.response.resolve()
  world.response = null
  await tick(MINUTE_MS)
  expect(world.sent.map(({ url }) => url).slice(6)).toEqual([
    'https://hooks.example/slow',
    'https://hooks.example/right',
  ])
})

test('an attempt of a webhook that was removed does not make the alert due for the next webhook', async () => {
  const { service, tick, stores, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/slow')
  await use(800)
  world.fault = new FetchError('timeout', { reason: 'timed out after 10000 ms' })
  world.response = Promise.withResolvers()
  await tick()
  await service.remove(user.id)
  world.response.resolve()
  await tick()
  expect(await stores.alerts.list(user.id, 9)).toMatchObject([{ nextAttemptAtMs: null }])
})

test('an attempt that a stop interrupts is repeated a minute after it, also the last one', async () => {
  const { service, start, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  world.fault = new FetchError('timeout', { reason: 'timed out after 10000 ms' })
  await tick()
  for (let n = 0; n < 5; n++) await tick(24 * 60 * MINUTE_MS)
  world.response = Promise.withResolvers()
  await tick(24 * 60 * MINUTE_MS)
  await service[Symbol.asyncDispose]()
  expect(world.sent).toHaveLength(7)
  world.response = null
  world.fault = null
  await start().tick(MINUTE_MS)
  expect(world.sent).toHaveLength(8)
  expect(world.errors).toEqual([])
})

test.each([
  ['saving the URL again and again', ['save']],
  ['removing and adding the webhook again and again', ['remove', 'save']],
])('%s sends an alert at most once per minute', async (_, steps) => {
  const { service, tick, user, world, use } = await setUp()
  await service.setUrl(user, 'https://hooks.example/a')
  await use(800)
  world.fault = new FetchError('http_status', { reason: 'HTTP 500', siteStatus: 500 })
  await tick()
  await tick(MINUTE_MS - 1)
  for (let n = 0; n < 3; n++) {
    for (const step of steps)
      await (step === 'save' ? service.setUrl(user, `https://hooks.example/${n}`) : service.remove(user.id))
    await tick()
  }
  expect(world.sent).toHaveLength(1)
  await tick(1)
  expect(world.sent).toHaveLength(2)
})

describe('settings', () => {
  test.each([
    ['no URL', '', 'Invalid URL: the URL is missing'],
    ['another scheme', 'ftp://a.example/', 'Invalid URL: must start with http:// or https://'],
    ['a private address', 'http://10.0.0.1/', 'Invalid URL: the address is private or reserved'],
    ['this machine', 'http://localhost/', 'Invalid URL: the host is this machine'],
    ['a password', 'https://jo:secret@a.example/', 'Invalid URL: must not contain a user name or password'],
    ['a long one', `https://a.example/${'x'.repeat(2_048)}`, 'Invalid URL: longer than 2048 characters'],
  ])('%s is refused', async (_, url, message) => {
    const { service, user } = await setUp()
    await expect(service.setUrl(user, url)).rejects.toThrow(message)
    expect((await service.settings(user.id)).webhook).toBeNull()
  })

  test('a new URL keeps the signing secret; removing and adding creates another webhook', async () => {
    const { service, user } = await setUp()
    const webhookAt = async (url: string) => {
      await service.setUrl(user, url)
      return (await service.settings(user.id)).webhook!
    }
    const { url, secret } = await webhookAt(' https://a.example/hook#part ')
    expect([url, secret]).toEqual(['https://a.example/hook', expect.stringMatching(/^whsec_[\w-]{43}$/)])
    expect((await webhookAt('https://b.example/')).secret).toBe(secret)
    await service.remove(user.id)
    await expect(service.sendTest(user)).rejects.toMatchObject({ kind: 'not_found' })
    expect((await webhookAt('https://b.example/')).secret).not.toBe(secret)
  })

  test('changes of the URL are limited per minute', async () => {
    const { service, user, world } = await setUp()
    for (let n = 0; n < 5; n++) await service.setUrl(user, `https://a.example/${n}`)
    await expect(service.setUrl(user, 'https://a.example/')).rejects.toMatchObject({ kind: 'minute_limit' })
    expect((await service.settings(user.id)).webhook).toMatchObject({ url: 'https://a.example/4' })
    world.nowMs += MINUTE_MS
    await service.setUrl(user, 'https://a.example/')
  })

  test('test messages are limited per minute', async () => {
    const { service, user, world } = await setUp()
    await service.setUrl(user, 'https://a.example/')
    for (let n = 0; n < 5; n++) await service.sendTest(user)
    await expect(service.sendTest(user)).rejects.toMatchObject({ kind: 'minute_limit' })
    expect(world.sent).toHaveLength(5)
    expect(world.sent[0]!.body).toMatchObject({ type: 'usage.test', data: { month: '2026-11', used: 0, limit: 1_000 } })
  })
})
