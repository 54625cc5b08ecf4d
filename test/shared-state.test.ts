import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { allowListId, parseAllowRule } from '../src/core/net/egress.ts'
import { REDIS_DEADLINE_MS } from '../src/store/redis/connection.ts'
import { withinMinute } from './clock-minute.ts'
import { openWorkspace } from './executable.ts'
import { startApp, type Body, type TestApp } from './http/app.ts'
import { startRedis, type RedisServer } from './redis.ts'
import { describeRedis } from './requirements.ts'
import { createKey } from './new-key.ts'
import { openSite, page, until } from './site.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const PER_MINUTE = 60
const KEYS = 1

/** Calling this releases the responses to paths below /held/. */
let release = () => {}
const released = new Promise<void>((resolve) => (release = resolve))
const site = openSite(async (pathname) => {
  if (pathname.startsWith('/slow')) await Bun.sleep(300)
  if (pathname.startsWith('/held/')) await released
  if (pathname.endsWith('/broken')) return new Response('no', { status: 500 })
  return page(200, `<!doctype html><title>${pathname}</title><link rel="icon" href="/icon.png">`)
})
afterAll(() => site.close())

/** Several processes that know the same accounts and share one Redis. */
interface Fleet extends AsyncDisposable {
  apps: TestApp[]
  key: string
  /** Requests a path of the site from one of them. */
  get(app: number, path: string, parameters?: Record<string, string>): Promise<Response>
}

async function startFleet(redisUrl: string, size: number, redisDeadlineMs?: number): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const shared = {
    URLMETA_REDIS_URL: redisUrl,
    ...site.env,
    URLMETA_PLAN_FREE_PER_MINUTE: String(PER_MINUTE),
    URLMETA_PLAN_FREE_KEYS: String(KEYS),
  }
  const first = stack.use(await startApp({ env: shared, redisDeadlineMs }))
  const key = await first.createKey()
  const apps = [first]
  while (apps.length < size) {
    const dataDir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
    stack.defer(() => rmSync(dataDir, { recursive: true }))
    copyDatabase(first.dataDir, dataDir)
    apps.push(stack.use(await startApp({ env: { ...shared, URLMETA_DATA_DIR: dataDir }, redisDeadlineMs })))
  }
  const owned = stack.move()
  return {
    apps,
    key,
    get(app, path, parameters = {}) {
      const query = new URLSearchParams({ url: site.urlOf(path), timeout: '15000', ...parameters })
      return fetch(`${apps[app]!.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Copies the accounts of one data directory, which may be in use, to another. */
function copyDatabase(from: string, to: string) {
  using database = new Database(join(from, 'urlmeta.db'))
  database.run(`VACUUM INTO '${join(to, 'urlmeta.db')}'`)
}

const statusesOf = (responses: Response[]) => Map.groupBy(responses, ({ status }) => status)

describeRedis('three processes that share one Redis', (executable) => {
  let server: RedisServer
  let fleet: Fleet
  beforeAll(async () => {
    server = await startRedis(executable)
    fleet = await startFleet(server.url, 3)
  }, PATIENT_TEST_MS)
  beforeEach(async () => {
    await server.command('FLUSHALL')
    site.requested.clear()
  })
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('all processes share the minute limit of a key, exactly', async () => {
    await withinMinute(20)
    await fleet.get(0, '/limit')
    const responses = await Promise.all(Array.from({ length: 90 }, (_, i) => fleet.get(i % 3, '/limit')))
    const statuses = statusesOf(responses)
    expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([PER_MINUTE - 1, 90 - PER_MINUTE + 1])
  }, 90_000)

  test('a result that one fetched is a cache hit for the others', async () => {
    expect((await fleet.get(0, '/hit')).headers.get('x-cache')).toBe('MISS')
    const answers = await Promise.all([1, 2].map((app) => fleet.get(app, '/hit')))
    for (const answer of answers) {
      expect(answer.headers.get('x-cache')).toBe('HIT')
      expect(((await answer.json()) as Body)['title']).toBe('/hit')
    }
    expect(site.requested.get('/hit')).toBe(1)
    await fleet.apps[1]!.logged({ cacheLayer: 'redis' })
  })

  test('a result that one replaced is found by the others', async () => {
    await fleet.get(0, '/replaced')
    await fleet.get(1, '/replaced')
    const fetchedAt = async (response: Response) => ((await response.json()) as Body)['fetched_at']
    const replacedAt = await fetchedAt(await fleet.get(0, '/replaced', { cache: 'false' }))
    // A result is stored after its response.
    for (const app of [0, 1])
      await until(async () => (await fetchedAt(await fleet.get(app, '/replaced'))) === replacedAt)
    expect(site.requested.get('/replaced')).toBe(2)
  })

  test('50 identical concurrent requests cause one fetch', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => fleet.get(i % 3, '/slow')))
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(site.requested.get('/slow')).toBe(1)
  })

  test('concurrent requests in three languages cause one fetch each', async () => {
    const languages = [{}, { language: 'de' }, { language: 'fr,en' }]
    const responses = await Promise.all(
      Array.from({ length: 36 }, (_, i) => fleet.get(i % 3, '/slow/languages', languages[Math.floor(i / 3) % 3])),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(36).fill(200))
    expect(site.requested.get('/slow/languages')).toBe(3)
  })

  test('a request waits for the fetch of another process only in its own language', async () => {
    const url = site.urlOf('/languages')
    const listId = allowListId([parseAllowRule(new URL(url).host)!])
    const key = `urlmeta:fetch:${createHash('sha256').update(`${url} language=de-ch${listId}`).digest('base64url')}`
    await server.command('SET', key, 'token of a slow process', 'PX', '60000')
    const request = async (parameters: Record<string, string>) => (await fleet.get(0, '/languages', parameters)).status
    const waiting = { language: 'de-CH', timeout: '1000' }
    expect(await Promise.all([{}, { language: 'de' }, waiting].map(request))).toEqual([200, 200, 502])
    expect(site.requested.get('/languages')).toBe(2)
  })

  test('a page that cannot be fetched is tried once by each process', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => fleet.get(i % 3, '/slow/broken')))
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(502))
    expect(site.requested.get('/slow/broken')).toBeLessThanOrEqual(3)
  })

  test('neither failed authentications nor sign-in requests of clients are counted in Redis', async () => {
    const { url } = fleet.apps[0]!
    expect((await fetch(`${url}/v1/metadata`, { headers: { 'x-api-key': 'wrong' } })).status).toBe(401)
    expect((await fetch(`${url}/sign-in/link?token=wrong`)).status).toBe(400)
    expect(await server.command('KEYS', 'urlmeta:minute*')).toEqual([])
  })

  test('requests that bypass the cache do not share a fetch', async () => {
    await Promise.all([0, 1, 2].map((app) => fleet.get(app, '/slow/fresh', { cache: 'false' })))
    expect(site.requested.get('/slow/fresh')).toBe(3)
  })

  test('a page whose process was killed during its fetch is fetched by another', async () => {
    const url = site.urlOf('/orphan')
    const listId = allowListId([parseAllowRule(new URL(url).host)!])
    const key = `urlmeta:fetch:${createHash('sha256').update(`${url}${listId}`).digest('base64url')}`
    await server.command('SET', key, 'token of the dead process', 'PX', '400')
    expect((await fleet.get(0, '/orphan')).status).toBe(200)
    expect(site.requested.get('/orphan')).toBe(1)
    // The lease is released once the result is stored, which the response does not wait for.
    while ((await server.command('EXISTS', key)) !== 0) await Bun.sleep(5)
  })

  test('a request that waits for another process ends at its own timeout', async () => {
    const url = site.urlOf('/held')
    const listId = allowListId([parseAllowRule(new URL(url).host)!])
    const key = `urlmeta:fetch:${createHash('sha256').update(`${url}${listId}`).digest('base64url')}`
    await server.command('SET', key, 'token of a slow process', 'PX', '60000')
    const response = await fleet.get(0, '/held', { timeout: '150' })
    expect([response.status, await response.json()]).toEqual([
      502,
      { error: 'Failed to fetch URL: timed out after 150 ms' },
    ])
    expect(site.requested.get('/held')).toBeUndefined()
  })
})

describeRedis('while Redis is unavailable', (executable) => {
  const DOWN = 'Redis is unavailable; using per-minute limits and a cache in this process until it is back'
  const UP = 'Redis is available again'
  const linesOf = (app: TestApp, msg: string) => app.log.filter((line) => line['msg'] === msg)
  const metric = async (app: TestApp, name: string) =>
    new RegExp(`\nurlmeta_${name} (\\w+)`).exec(await (await fetch(`${app.url}/metrics`)).text())?.[1]
  const upOf = (app: TestApp) => metric(app, 'redis_up')

  test('requests are served and limited; one log line when it becomes unavailable, one when it is back', async () => {
    await using server = await startRedis(executable)
    await using fleet = await startFleet(server.url, 2)
    const [first] = fleet.apps as [TestApp]
    await withinMinute(10)
    expect((await fleet.get(0, '/a')).status).toBe(200)
    expect(await upOf(first)).toBe('1')

    await server.kill()
    const during = await Promise.all(Array.from({ length: PER_MINUTE + 5 }, () => fleet.get(0, '/a')))
    const statuses = statusesOf(during)
    expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([PER_MINUTE, 5])
    // The result that this process stored is still found.
    expect(new Set(during.filter(({ ok }) => ok).map(({ headers }) => headers.get('x-cache')))).toEqual(
      new Set(['HIT']),
    )
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    expect(await upOf(first)).toBe('0')
    expect(await metric(first, 'cache_entries')).toBe('Nan')

    await server.start()
    for (const app of fleet.apps) await app.logged({ msg: UP })
    const afterwards = await Promise.all(Array.from({ length: PER_MINUTE + 4 }, (_, i) => fleet.get(i % 2, '/b')))
    expect(statusesOf(afterwards).get(200)).toHaveLength(PER_MINUTE)
    expect(await upOf(first)).toBe('1')
    for (const app of fleet.apps) {
      expect([linesOf(app, DOWN).length, linesOf(app, UP).length]).toEqual([1, 1])
    }
  }, 120_000)

  test(
    'a server starts without it, and uses it once it is available',
    async () => {
      await using server = await startRedis(executable)
      await server.kill()
      await using fleet = await startFleet(server.url, 1)
      const [app] = fleet.apps as [TestApp]
      expect((await fleet.get(0, '/a')).status).toBe(200)
      await app.logged({ msg: DOWN })
      await server.start()
      await app.logged({ msg: UP })
      await fleet.get(0, '/c')
      // The response does not wait until its result is stored.
      while ((await server.command('ZCARD', 'urlmeta:results')) !== 1) await Bun.sleep(5)
    },
    PATIENT_TEST_MS,
  )

  test('a server that accepts and never responds costs one deadline, not one per request', async () => {
    await using server = await startRedis(executable)
    await using fleet = await startFleet(server.url, 1, REDIS_DEADLINE_MS)
    await fleet.get(0, '/a')
    server.pause()
    const startedAtMs = performance.now()
    // One after the other: each takes a minute slot and reads the cache.
    for (let i = 0; i < PER_MINUTE - 1; i++) expect((await fleet.get(0, '/a')).status).toBe(200)
    // With a deadline per request it would take at least this long.
    expect(performance.now() - startedAtMs).toBeLessThan((PER_MINUTE - 1) * REDIS_DEADLINE_MS)
    await fleet.apps[0]!.logged({ msg: DOWN })
    server.resume()
  }, 120_000)
})

describe('without Redis', () => {
  test('its metric is absent', async () => {
    await using app = await startApp()
    expect(await (await fetch(`${app.url}/metrics`)).text()).not.toContain('urlmeta_redis')
  })
})

describeRedis('two executables that share one Redis', (executable) => {
  test(
    'a page whose process is killed during the fetch is fetched by the other',
    async () => {
      await using server = await startRedis(executable)
      await using first = openWorkspace()
      await using second = openWorkspace()
      const env = {
        URLMETA_REDIS_URL: server.url,
        ...site.env,
      }
      const key = await createKey(first, env)
      mkdirSync(join(second.dir, 'data'))
      copyDatabase(join(first.dir, 'data'), join(second.dir, 'data'))
      const [killed, other] = await Promise.all([first.serve(env), second.serve(env)])
      const get = ({ url }: { url: string }, path: string, timeout: string) =>
        fetch(`${url}/v1/metadata?${new URLSearchParams({ url: site.urlOf(path), timeout })}`, {
          headers: { 'x-api-key': key },
        })

      const lost = get(killed, '/held/page', '15000').catch(() => null)
      while (site.requested.get('/held/page') !== 1) await Bun.sleep(5)
      const waiting = get(other, '/held/page', '15000')
      killed.kill('SIGKILL')
      await killed.exited
      release()
      expect(await lost).toBeNull()
      expect((await waiting).status).toBe(200)
      expect(site.requested.get('/held/page')).toBe(2)
    },
    PATIENT_TEST_MS,
  )
})
