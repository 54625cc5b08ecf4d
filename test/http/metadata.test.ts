import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { withinMinute } from '../clock-minute.ts'
import { type Body, startApp, type TestApp } from './app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const UNKNOWN_KEY = `urlmeta_live_${'0'.repeat(32)}`

/** Enough for a whole table of scenarios. */
const ROOMY = { URLMETA_PLAN_FREE_PER_MINUTE: '100000', URLMETA_PLAN_FREE_KEYS: '1000' }

interface Scenario {
  name: string
  method?: string
  path: string
  headers?: (key: string) => Record<string, string>
  status: number
  /** The whole body. */
  error?: string
  answerHeaders?: Record<string, string>
  lacks?: string[]
}

const withKey = (key: string) => ({ 'x-api-key': key })
const PAGE_URL = encodeURIComponent('http://127.0.0.1:1/not-requested')

const SCENARIOS: Scenario[] = [
  { name: 'no key', path: `/v1/metadata?url=${PAGE_URL}`, status: 401, error: 'Missing API key' },
  {
    name: 'no key and no parameters: the key is checked first',
    path: '/v1/metadata',
    status: 401,
    error: 'Missing API key',
  },
  {
    name: 'malformed key',
    path: '/v1/metadata',
    headers: () => withKey('nonsense'),
    status: 401,
    error: 'Invalid API key',
  },
  {
    name: 'unknown key',
    path: '/v1/metadata',
    headers: () => withKey(UNKNOWN_KEY),
    status: 401,
    error: 'Invalid API key',
  },
  {
    name: 'unknown key in the query',
    path: `/v1/metadata?api_key=${UNKNOWN_KEY}`,
    status: 401,
    error: 'Invalid API key',
    lacks: [UNKNOWN_KEY],
  },
  {
    name: 'an invalid key in the header wins over a valid one in the query',
    path: '/v1/metadata?api_key=KEY',
    headers: () => withKey('nonsense'),
    status: 401,
    error: 'Invalid API key',
  },
  {
    name: 'an empty header counts as absent',
    path: '/v1/metadata?api_key=KEY',
    headers: () => withKey(''),
    status: 400,
    error: 'Invalid URL: the URL is missing',
  },
  {
    name: 'a Bearer token is not an API key',
    path: '/v1/metadata',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    status: 401,
    error: 'Missing API key; send it in X-API-Key',
  },
  {
    name: 'another scheme of authorization',
    path: '/v1/metadata',
    headers: () => ({ authorization: 'Basic eDp5' }),
    status: 401,
    error: 'Missing API key',
  },
  {
    name: 'an invalid key beside a Bearer token',
    path: '/v1/metadata',
    headers: (key) => ({ ...withKey('nonsense'), authorization: `bearer ${key}` }),
    status: 401,
    error: 'Invalid API key',
  },
  {
    name: 'two keys',
    path: '/v1/metadata',
    headers: (key) => withKey(`${key}, ${key}`),
    status: 401,
    error: 'Invalid API key',
  },
  {
    name: 'the last of two keys in the query is used',
    path: `/v1/metadata?api_key=${UNKNOWN_KEY}&api_key=KEY`,
    status: 400,
    error: 'Invalid URL: the URL is missing',
  },
  { name: 'key with a NUL', path: '/v1/metadata?api_key=KEY%00', status: 401, error: 'Invalid API key' },

  { name: 'no url', path: '/v1/metadata', headers: withKey, status: 400, error: 'Invalid URL: the URL is missing' },
  {
    name: 'empty url',
    path: '/v1/metadata?url=',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: the URL is missing',
  },
  {
    name: 'no scheme',
    path: '/v1/metadata?url=example.com',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: must start with http:// or https://',
  },
  {
    name: 'another scheme',
    path: '/v1/metadata?url=file:///etc/passwd',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: must start with http:// or https://',
  },
  {
    name: 'malformed percent-encoding',
    path: '/v1/metadata?url=%zz%',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: must start with http:// or https://',
  },
  {
    name: 'the last of two urls is used',
    path: '/v1/metadata?url=https://example.com&url=example.com',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: must start with http:// or https://',
  },
  {
    name: 'long url',
    path: `/v1/metadata?url=https://example.com/${'a'.repeat(8_192)}`,
    headers: withKey,
    status: 400,
    error: 'Invalid URL: longer than 8192 characters',
  },
  {
    name: 'password in the url',
    path: '/v1/metadata?url=https://jo:secret@example.com',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: must not contain a user name or password',
    lacks: ['secret'],
  },
  {
    name: 'loopback address',
    path: '/v1/metadata?url=http://127.0.0.1/',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: the address is private or reserved',
  },
  {
    name: 'port of another protocol',
    path: '/v1/metadata?url=https://example.com:1/',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: port 1 is not allowed',
  },
  {
    name: 'private address',
    path: '/v1/metadata?url=http://10.0.0.1/',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: the address is private or reserved',
  },
  {
    name: 'localhost',
    path: '/v1/metadata?url=http://localhost:8080/',
    headers: withKey,
    status: 400,
    error: 'Invalid URL: the host is this machine',
  },

  ...['0', '-1', '15001', '1.5', '5e3', '', 'abc', '0x10', ' 5', '1e9', '99999999999999999999', 'NaN'].map(
    (timeout) => ({
      name: `timeout ${JSON.stringify(timeout)}`,
      path: `/v1/metadata?url=https://example.com&timeout=${encodeURIComponent(timeout)}`,
      headers: withKey,
      status: 400,
      error: 'Invalid timeout: must be an integer from 1 to 15000',
    }),
  ),
  ...['1', '0', 'TRUE', 'yes', ''].map((cache) => ({
    name: `cache ${JSON.stringify(cache)}`,
    path: `/v1/metadata?url=https://example.com&cache=${cache}`,
    headers: withKey,
    status: 400,
    error: 'Invalid cache: must be true or false',
  })),

  { name: 'unknown path', path: '/nothing', status: 404, error: 'Not found' },
  { name: 'unknown path under /v1', path: '/v1/nothing', status: 404, error: 'Not found' },
  { name: 'malformed percent-encoding in the path', path: '/%zz/%', status: 404, error: 'Not found' },
  { name: 'prototype in the path', path: '/__proto__', status: 404, error: 'Not found' },
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => ({
    name: `${method} is not a method here`,
    method,
    path: '/v1/metadata',
    status: 405,
    error: 'Method not allowed',
    answerHeaders: { allow: 'GET, HEAD' },
  })),
  ...['/v1/metadata/', '/v1/metadata?x=/'].map((path) => ({
    name: `wrong method at ${path}`,
    method: 'POST',
    path,
    status: 405,
    error: 'Method not allowed',
  })),
  {
    name: 'wrong method at a host with a short name',
    method: 'POST',
    path: '/v1/metadata',
    headers: () => ({ host: 'x' }),
    status: 405,
    error: 'Method not allowed',
  },
  {
    name: 'an invalid Host header, from a browser',
    path: '/nothing',
    headers: () => ({ host: '[', accept: 'application/json' }),
    status: 404,
    error: 'Not found',
  },
  {
    name: 'wrong method at a path with an id',
    method: 'DELETE',
    path: '/admin/users/some-id',
    status: 405,
    error: 'Method not allowed',
    answerHeaders: { allow: 'GET, HEAD' },
  },
  {
    name: 'wrong method on another path',
    method: 'POST',
    path: '/healthz',
    status: 405,
    error: 'Method not allowed',
    answerHeaders: { allow: 'GET, HEAD' },
  },
]

describe('every error is JSON with its status and message', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({ env: ROOMY })
    key = await app.createKey()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
    const response = await fetch(app.url + scenario.path.replace('KEY', key), {
      method: scenario.method ?? 'GET',
      headers: scenario.headers?.(key) ?? {},
    })
    const body = await response.text()
    expect(response.status).toBe(scenario.status)
    expect(JSON.parse(body)).toEqual({ error: scenario.error })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    for (const [name, value] of Object.entries(scenario.answerHeaders ?? {}))
      expect(response.headers.get(name)).toBe(value)
    for (const text of [key, ...(scenario.lacks ?? [])]) expect(body).not.toContain(text)
  })
})

describe('responses', () => {
  test('have the metadata, the six limit headers and X-Cache', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const before = Math.floor(Date.now() / 1000)
    const response = await app.metadata(key, '/page#fragment')
    expect(response.status).toBe(200)
    const { fetched_at, response_time_ms, ...body } = (await response.json()) as Body
    expect(body).toEqual({
      url: `${app.origin}/page#fragment`,
      title: 'A page',
      favicon: `${app.origin}/icon.png`,
      fetch_method: 'http',
    })
    expect(new Date(String(fetched_at)).toISOString()).toBe(String(fetched_at))
    expect(Number.isInteger(response_time_ms) && Number(response_time_ms) >= 0).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-store',
      'x-cache': 'MISS',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-monthly-limit': '1000',
      'x-monthly-used': '1',
      'x-monthly-remaining': '999',
    })
    const reset = Number(response.headers.get('x-ratelimit-reset'))
    expect(reset % 60).toBe(0)
    expect(reset).toBeGreaterThan(before)
    expect(reset).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000) + 60)
  })

  test('cached ones are the stored one byte for byte, except for url', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const first = await (await app.metadata(key, '/page')).text()
    const response = await app.metadata(key, '/x/../page#other', { timeout: '1' })
    expect(response.headers.get('x-cache')).toBe('HIT')
    expect(response.headers.get('x-monthly-used')).toBe('2')
    expect(await response.text()).toBe(first.replace(`${app.origin}/page`, `${app.origin}/x/../page#other`))
    expect(app.requestCounts.get('/page')).toBe(1)
  })

  test('cache=false fetches again and stores the result', async () => {
    let version = 0
    await using app = await startApp({
      origin: () => new Response(`<title>v${++version}</title><link rel=icon href=/i>`, { headers: HTML }),
    })
    const key = await app.createKey()
    const titleOf = async (parameters: Record<string, string>) => {
      const response = await app.metadata(key, '/page', parameters)
      return [((await response.json()) as Body)['title'], response.headers.get('x-cache')]
    }
    expect(await titleOf({})).toEqual(['v1', 'MISS'])
    expect(await titleOf({ cache: 'false' })).toEqual(['v2', 'MISS'])
    expect(await titleOf({ cache: 'true' })).toEqual(['v2', 'HIT'])
  })

  test('the key may be in the query, and is not logged', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const url = encodeURIComponent(`${app.origin}/page?token=hush`)
    const response = await fetch(`${app.url}/v1/metadata?url=${url}&api_key=${key}`)
    expect(response.status).toBe(200)
    const line = await app.logged({ msg: 'request' })
    expect(line).toMatchObject({
      level: 'info',
      id: response.headers.get('x-request-id'),
      method: 'GET',
      route: '/v1/metadata',
      status: 200,
      outcome: 'ok',
      cache: 'MISS',
      host: new URL(app.origin).host,
    })
    expect(line).not.toHaveProperty('cacheLayer')
    expect(line['ms']).toBeNumber()
    expect(line['key']).toBeString()
    expect(JSON.stringify(app.log)).not.toContain(key)
    expect(JSON.stringify(app.log)).not.toContain('hush')
  })

  test('HEAD is like GET without a body', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const url = `${app.url}/v1/metadata?url=${encodeURIComponent(`${app.origin}/page`)}`
    const response = await fetch(url, { method: 'HEAD', headers: withKey(key) })
    expect([response.status, response.headers.get('x-cache'), await response.text()]).toEqual([200, 'MISS', ''])
  })
})

describe('targets that fail', () => {
  test.each([
    ['404', () => new Response('<title>Rich</title>', { status: 404, headers: HTML }), 'HTTP 404'],
    ['503', () => new Response('', { status: 503, headers: HTML }), 'HTTP 503'],
    ['401, which is returned as 502', () => new Response('', { status: 401, headers: HTML }), 'HTTP 401'],
    ['429, which is returned as 502', () => new Response('', { status: 429, headers: HTML }), 'HTTP 429'],
  ])('%s', async (_, answer, reason) => {
    await using app = await startApp({ origin: answer })
    const key = await app.createKey()
    const response = await app.metadata(key, '/page')
    expect(response.status).toBe(502)
    expect(await response.json()).toEqual({ error: `Failed to fetch URL: ${reason}` })
    expect(response.headers.get('x-monthly-used')).toBeNull()
    const line = await app.logged({ msg: 'request' })
    expect(line).toMatchObject({ status: 502, outcome: 'fetch_failed', failure: 'http_status' })
  })

  test('a redirect to a private address has the same message, and the log has the verdict', async () => {
    await using app = await startApp({ origin: () => Response.redirect('http://169.254.169.254/latest', 302) })
    const response = await app.metadata(await app.createKey(), '/page')
    expect([response.status, await response.json()]).toEqual([
      502,
      { error: 'Failed to fetch URL: address not allowed' },
    ])
    const line = await app.logged({ msg: 'request' })
    expect(line).toMatchObject({ failure: 'address_not_allowed', detail: 'cloud_metadata' })
  })

  test('a failed request is neither charged nor cached, but counts toward the per-minute limit', async () => {
    let fails = true
    await using app = await startApp({
      origin: () =>
        new Response('<title>ok</title><link rel=icon href=/i>', { status: fails ? 500 : 200, headers: HTML }),
    })
    const key = await app.createKey()
    await withinMinute(20)
    expect((await app.metadata(key, '/page')).status).toBe(502)
    fails = false
    const response = await app.metadata(key, '/page')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-cache': 'MISS',
      'x-monthly-used': '1',
      'x-ratelimit-remaining': '8',
    })
  })

  test('a target that hangs times out', async () => {
    await using app = await startApp({ origin: () => new Promise<Response>(() => {}) })
    const response = await app.metadata(await app.createKey(), '/page', { timeout: '50' })
    expect(response.status).toBe(502)
    expect(await response.json()).toEqual({ error: 'Failed to fetch URL: timed out after 50 ms' })
  })
})

describe('limits', () => {
  test('the minute limit', async () => {
    await using app = await startApp({ env: { URLMETA_PLAN_FREE_PER_MINUTE: '1' } })
    const key = await app.createKey()
    // A new minute may start after the first request, but not between all four.
    const responses = await Promise.all(Array.from({ length: 4 }, () => app.metadata(key, '/page')))
    const refused = responses.find(({ status }) => status === 429)!
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeWithin(1, 61)
    expect(await refused.json()).toEqual({
      error: `Rate limit exceeded: 1 requests per minute allowed on the Free plan. Retry in ${wait} seconds.`,
    })
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(refused.headers.get('x-monthly-limit')).toBeNull()
  })

  test('forty concurrent requests with a monthly limit of five get exactly five 200 responses', async () => {
    await using app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MONTH: '5', URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    })
    const key = await app.createKey()
    const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => app.metadata(key, `/page${i % 3}`)))
    const statuses = Object.groupBy(responses, ({ status }) => status)
    expect([statuses[200]?.length, statuses[429]?.length]).toEqual([5, 35])
    const refused = statuses[429]![0]!
    expect(await refused.json()).toEqual({
      error: 'Monthly limit reached: 5/5 requests used. Upgrade your plan to continue.',
    })
    expect(refused.headers.get('retry-after')).toBeNull()
    const now = new Date()
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'x-monthly-limit': '5',
      'x-monthly-used': '5',
      'x-monthly-reset': nextMonth.replace('.000Z', 'Z'),
    })
  })

  test('requests without a key have no limit headers and use no limits', async () => {
    await using app = await startApp({ env: { URLMETA_PLAN_FREE_PER_MINUTE: '1' } })
    const key = await app.createKey()
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await app.metadata(`${key}x`, '/page')
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([401, null])
    }
    for (let i = 0; i < 5; i++) expect((await app.metadata(key, '/page', { timeout: 'bad' })).status).toBe(400)
    expect((await app.metadata(key, '/page')).status).toBe(200)
  })
})

describe('concurrent requests', () => {
  test('identical ones share one fetch and are all charged', async () => {
    const held = Promise.withResolvers<void>()
    await using app = await startApp({
      env: ROOMY,
      origin: async () => {
        await held.promise
        return new Response('<title>Shared</title><link rel=icon href=/i>', { headers: HTML })
      },
    })
    const key = await app.createKey()
    const all = Promise.all(Array.from({ length: 12 }, () => app.metadata(key, '/page')))
    while ((app.requestCounts.get('/page') ?? 0) === 0) await Bun.sleep(5)
    const impatient = await app.metadata(key, '/page', { timeout: '20' })
    expect(await impatient.json()).toEqual({ error: 'Failed to fetch URL: timed out after 20 ms' })
    held.resolve()
    const responses = await all
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(app.requestCounts.get('/page')).toBe(1)
    const used = responses.map(({ headers }) => Number(headers.get('x-monthly-used')))
    expect(Math.max(...used)).toBeGreaterThanOrEqual(12)
    expect((await app.metadata(key, '/page')).headers.get('x-monthly-used')).toBe('13')
  })

  test('a client that disconnects is not charged, and its fetch is canceled', async () => {
    const aborted = Promise.withResolvers<void>()
    await using app = await startApp({
      origin: (request) => {
        request.signal.addEventListener('abort', () => aborted.resolve())
        return new URL(request.url).pathname === '/hangs' ? new Promise<Response>(() => {}) : new Response('')
      },
    })
    const key = await app.createKey()
    const leaving = new AbortController()
    const query = new URLSearchParams({ url: `${app.origin}/hangs` })
    const request = fetch(`${app.url}/v1/metadata?${query}`, { headers: withKey(key), signal: leaving.signal })
    while (!app.requestCounts.has('/hangs')) await Bun.sleep(5)
    leaving.abort()
    await request.catch(() => null)
    await aborted.promise
    const { phases } = await app.logged({ outcome: 'client_closed' })
    expect(phases).toMatchObject({ queue: expect.any(Number), connect: expect.any(Number) })
    expect((await app.metadata(key, '/empty')).headers.get('x-monthly-used')).toBe('1')
  })
})

describe('internal failures', () => {
  test('are logged in full and not disclosed to the client', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const database = new Database(join(app.dataDir, 'urlmeta.db'))
    database.run('DROP TABLE monthly_usage')
    database.close()
    const response = await app.metadata(key, '/page')
    expect(response.status).toBe(500)
    expect(await response.text()).toBe('{"error":"Internal server error"}')
    const line = await app.logged({ msg: 'request' })
    expect(line).toMatchObject({ status: 500, outcome: 'internal' })
    const fault = await app.logged({ level: 'error' })
    expect(fault).toMatchObject({ id: response.headers.get('x-request-id') })
    expect(JSON.stringify(fault['err'])).toContain('monthly_usage')
  })
})
