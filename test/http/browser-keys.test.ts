import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { withinMinute } from '../clock-minute.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'
import { type Body, startApp, type TestApp } from './app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const SITE = 'https://site.example'
const OTHER = 'https://other.example'
/** A public address, whose connections end at the origin of the test. */
const PUBLIC = 'http://93.184.215.14'
const NOT_ALLOWED = 'Origin not allowed for this key'

const stack = new AsyncDisposableStack()
let app: TestApp
/** Limited to the origin of the site. */
let key: string
let secretKey: string

beforeAll(async () => {
  const proxy = stack.use(
    await openTestProxy({
      kind: 'http',
      addressOf: (host) => (PUBLIC.endsWith(host) ? '127.0.0.1' : host),
      portOf: (port) => (port === 80 ? originPort() : port),
    }),
  )
  const dns = stack.use(await openDnsServer({ 'intranet.example': () => ({ A: ['127.0.0.1'] }) }))
  app = stack.use(
    await startApp({
      env: {
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
        URLMETA_PLAN_FREE_KEYS: '1000',
        URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
        URLMETA_DNS_SERVERS: dns.address,
        URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
        // Requests with another address than the peer's.
        URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
      },
      origin(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/to-private') return Response.redirect(`${app.origin}/page`)
        if (pathname === '/gone') return new Response('', { status: 410 })
        const html = '<title>A page</title><meta name=description content=Text><link rel=icon href=/i.png>'
        return new Response(html, { headers: { 'content-type': 'text/html' } })
      },
    }),
  )
  key = await app.createKey('jo@example.com', { allowedOrigins: [SITE, 'http://localhost:5173'] })
  secretKey = await app.createKey('ann@example.com')
})
afterAll(() => stack[Symbol.asyncDispose]())

const originPort = () => Number(new URL(app.origin).port)

interface Sent {
  path?: string
  origin?: string | null
  method?: string
  client?: string
  ownKey?: string
  headers?: Record<string, string>
}

let clients = 0

/** Sends a request, by default of another visitor of the site. */
async function send({ path = metadataOf(`${PUBLIC}/page`), origin = SITE, ownKey = key, ...options }: Sent = {}) {
  const { method = 'GET', client = `10.0.0.${++clients}`, headers = {} } = options
  const response = await fetch(app.url + path, {
    method,
    headers: {
      ...(ownKey && { 'x-api-key': ownKey }),
      ...(origin !== null && { origin }),
      'x-forwarded-for': client,
      ...headers,
    },
  })
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as Body
  return { status: response.status, error: body['error'], body, headers: response.headers }
}

const metadataOf = (url: string, parameters: Record<string, string> = {}) =>
  `/v1/metadata?${new URLSearchParams({ url, ...parameters })}`

const corsOf = ({ headers }: { headers: Headers }) => ({
  allowed: headers.get('access-control-allow-origin'),
  isExposed: headers.has('access-control-expose-headers'),
  vary: headers.get('vary'),
})
const readableBy = (origin: string) => ({ allowed: origin, isExposed: true, vary: 'Origin' })
const UNREADABLE = { allowed: null, isExposed: false, vary: 'Origin' }

describe('a request with a key that is limited to origins', () => {
  test.each([SITE, 'http://localhost:5173'])('from %s succeeds, and its page can read the response', async (origin) => {
    const response = await send({ origin })
    expect([response.status, response.body['title']]).toEqual([200, 'A page'])
    expect(corsOf(response)).toEqual(readableBy(origin))
  })

  test.each<[string, Sent]>([
    ['without an origin, such as by curl', { origin: null }],
    ['from another origin', { origin: OTHER }],
    ['from another scheme', { origin: 'http://site.example' }],
    ['from another port', { origin: `${SITE}:8443` }],
    ['from a subdomain', { origin: 'https://www.site.example' }],
    ['from an opaque origin', { origin: 'null' }],
    ['from another spelling', { origin: 'https://SITE.example' }],
    ['of another site with HEAD', { origin: OTHER, method: 'HEAD' }],
    ['to a format, without an origin', { origin: null, path: `/compat/summaly/x?url=${PUBLIC}/page` }],
    ['with an invalid URL, because the origin is checked first', { origin: OTHER, path: metadataOf('x') }],
  ])('%s is refused, and no page can read why', async (_, sent) => {
    const response = await send(sent)
    expect([response.status, response.error]).toEqual([403, sent.method === 'HEAD' ? undefined : NOT_ALLOWED])
    expect(corsOf(response)).toEqual(UNREADABLE)
    expect(response.headers.has('x-ratelimit-limit')).toBe(false)
  })

  test.each<[string, Sent, number, string | undefined]>([
    ['HEAD', { method: 'HEAD' }, 403, undefined],
    [
      'a fresh result',
      { path: metadataOf(`${PUBLIC}/page`, { cache: 'false' }) },
      400,
      'Invalid cache: must be true with this key',
    ],
    [
      'an invalid value of cache',
      { path: metadataOf(`${PUBLIC}/page`, { cache: '1' }) },
      400,
      'Invalid cache: must be true or false',
    ],
    ['an invalid URL', { path: metadataOf('x') }, 400, 'Invalid URL: must start with http:// or https://'],
    ['a page that fails', { path: metadataOf(`${PUBLIC}/gone`) }, 502, 'Failed to fetch URL: HTTP 410'],
  ])('%s is refused, and the page can read why', async (_, sent, status, error) => {
    const response = await send(sent)
    expect([response.status, response.error]).toEqual([status, error as unknown])
    expect(corsOf(response)).toEqual(readableBy(SITE))
  })

  test('of a format works only with GET', async () => {
    const form = new URLSearchParams({ q: `${PUBLIC}/page` })
    const get = await send({ path: `/compat/linkpreview?${form}` })
    const post = await send({ path: `/compat/linkpreview?${form}`, method: 'POST' })
    expect([get.body['title'], get.headers.get('access-control-allow-origin')]).toEqual(['A page', SITE])
    expect([post.status, post.body['description']]).toEqual([403, 'Only GET is allowed with this key'])
  })

  test.each([
    ['in the query', { ownKey: '' }, () => `/compat/iframely?${new URLSearchParams({ url: `${PUBLIC}/page`, key })}`],
    ['in the path', { ownKey: '' }, () => `/compat/summaly/${key}?url=${PUBLIC}/page`],
    ['of oEmbed', { ownKey: '' }, () => `/oembed?${new URLSearchParams({ url: `${PUBLIC}/page`, api_key: key })}`],
  ])('may have the key %s', async (_, sent, path) => {
    expect(corsOf(await send({ ...sent, path: path() }))).toEqual(readableBy(SITE))
    expect((await send({ ...sent, path: path(), origin: OTHER })).status).toBe(403)
  })

  test('of a format cannot ask for a fresh result', async () => {
    const response = await send({
      path: `/compat/microlink?${new URLSearchParams({ url: `${PUBLIC}/page`, force: 'true' })}`,
    })
    expect([response.status, response.body['message']]).toEqual([400, 'Invalid cache: must be true with this key'])
  })

  test('counts against no limit and is in the request log when it is refused', async () => {
    await send({ origin: OTHER })
    expect(await app.logged({ outcome: 'origin_not_allowed' })).toMatchObject({ status: 403, route: '/v1/metadata' })
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/\nurlmeta_admission_refusals_total\{reason="origin_not_allowed"\} [1-9]/)
  })
})

describe('a private host that the operator allows', () => {
  const named = () => `http://intranet.example:${originPort()}/page`
  test.each([
    ['by address', () => `${app.origin}/page`, 400, 'Invalid URL: the address is private or reserved'],
    ['by name', named, 502, 'Failed to fetch URL: address not allowed'],
    ['by a redirect', () => `${PUBLIC}/to-private`, 502, 'Failed to fetch URL: address not allowed'],
  ])('%s is only for other keys, even if its result is cached', async (_, url, status, error) => {
    const path = metadataOf(url())
    for (const cache of ['MISS', 'HIT']) {
      const response = await send({ path, origin: null, ownKey: secretKey })
      expect([response.status, response.headers.get('x-cache')]).toEqual([200, cache])
    }
    const refused = await send({ path })
    expect([refused.status, refused.error]).toEqual([status, error])
    expect(corsOf(refused)).toEqual(readableBy(SITE))
  })
})

describe('a visitor', () => {
  /** The statuses of this number of requests. */
  const statusesOf = async (count: number, sent: Sent) => {
    const statuses: number[] = []
    while (statuses.length < count) statuses.push((await send(sent)).status)
    return statuses
  }
  const ok = (count: number) => Array.from({ length: count }, () => 200)

  test.each([
    ['an IPv4 address', '192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['an IPv6 network', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
  ])('is %s, and has 30 requests a minute', async (_, client, same, other) => {
    const visitorKey = await app.createKey('jo@example.com', { allowedOrigins: [SITE] })
    await withinMinute(20)
    expect(await statusesOf(30, { client, ownKey: visitorKey })).toEqual(ok(30))
    const refused = await send({ client: same, ownKey: visitorKey })
    const seconds = Number(refused.headers.get('retry-after'))
    expect([refused.status, refused.error]).toEqual([
      429,
      `Rate limit exceeded: 30 requests per minute allowed per client address. Retry in ${seconds} seconds.`,
    ])
    expect(seconds).toBeWithin(1, 61)
    expect(refused.headers.has('x-ratelimit-limit')).toBe(false)
    expect(corsOf(refused)).toEqual(readableBy(SITE))
    // The limits of other visitors, and of other keys, are separate.
    const others = [await send({ client: other, ownKey: visitorKey }), await send({ client })]
    expect(others.map(({ status }) => status)).toEqual([200, 200])
  })

  test('has no limit with another key', async () => {
    expect(await statusesOf(32, { client: '192.0.2.3', ownKey: secretKey, origin: null })).toEqual(ok(32))
  })
})

describe('CORS', () => {
  const preflight = (origin: string, path = '/v1/metadata') =>
    send({
      path,
      origin,
      method: 'OPTIONS',
      ownKey: '',
      headers: { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' },
    })

  test.each(['/v1/metadata', '/compat/linkpreview', '/compat/summaly/x', '/oembed'])(
    'a preflight of %s is answered for an origin that a key allows',
    async (path) => {
      const response = await preflight(SITE, path)
      expect([response.status, corsOf(response)]).toEqual([204, readableBy(SITE)])
      expect(response.headers.get('access-control-allow-methods')).toBe('GET')
      expect(response.headers.get('access-control-allow-headers')).toStartWith('X-API-Key')
      expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    },
  )

  test.each([OTHER, 'http://site.example', 'null', `https://${'a'.repeat(5_000)}.example`])(
    'a preflight of %p is not',
    async (origin) => {
      const response = await preflight(origin)
      expect([response.status, response.error, response.headers.get('allow')]).toEqual([
        405,
        'Method not allowed',
        'GET, HEAD',
      ])
      expect(corsOf(response)).toEqual({ ...UNREADABLE, vary: null })
      expect(response.headers.has('access-control-allow-methods')).toBe(false)
    },
  )

  test('a preflight is answered while one key works', async () => {
    const origin = 'https://ending.example'
    const create = () => app.createKey('ending@example.com', { allowedOrigins: [origin] })
    await create()
    await create()
    const keys = (await app.accounts.listKeys()).filter(({ email }) => email === 'ending@example.com')
    await app.accounts.deactivateKey(keys[0]!.id)
    expect(corsOf(await preflight(origin))).toEqual(readableBy(origin))
    await app.accounts.deactivateKey(keys[1]!.id)
    // The answer is kept for a second.
    const deadlineMs = performance.now() + 20_000
    while ((await preflight(origin)).headers.has('access-control-allow-origin')) {
      expect(performance.now()).toBeLessThan(deadlineMs)
      await Bun.sleep(100)
    }
  })

  test.each([
    [SITE, readableBy(SITE)],
    [OTHER, { ...UNREADABLE, vary: null }],
  ])('that a key is unknown can be read by %s', async (origin, cors) => {
    const response = await send({ origin, ownKey: `urlmeta_live_${'0'.repeat(32)}` })
    expect([response.status, response.error, corsOf(response)]).toEqual([401, 'Invalid API key', cors])
  })

  test('a key without origins has no CORS headers on pages of other keys', async () => {
    const response = await send({ ownKey: secretKey })
    expect([response.status, corsOf(response)]).toEqual([200, { ...UNREADABLE, vary: null }])
  })

  test('URLMETA_CORS_ORIGINS does not extend the origins of a key', async () => {
    await using configured = await startApp({ env: { URLMETA_CORS_ORIGINS: OTHER } })
    const ownKey = await configured.createKey('jo@example.com', { allowedOrigins: [SITE] })
    const request = (origin: string, method = 'GET') =>
      fetch(`${configured.url}/v1/metadata`, { method, headers: { origin, 'x-api-key': ownKey } })
    const [foreign, own] = [await request(OTHER), await request(SITE)]
    expect([foreign.status, corsOf(foreign)]).toEqual([403, UNREADABLE])
    expect([own.status, corsOf(own)]).toEqual([400, readableBy(SITE)])
    const methods = await Promise.all(
      [OTHER, SITE].map(async (origin) =>
        (await request(origin, 'OPTIONS')).headers.get('access-control-allow-methods'),
      ),
    )
    expect(methods).toEqual(['GET, HEAD', 'GET'])
  })
})

test('a rotated key keeps the origins, and changed origins apply from the next request on', async () => {
  const email = 'rotating@example.com'
  await app.createKey(email, { allowedOrigins: [SITE] })
  const idOf = async () => (await app.accounts.listKeys()).findLast((listed) => listed.email === email)!.id
  const rotated = await app.accounts.rotateKey(await idOf(), 0)
  expect((await send({ ownKey: rotated.key })).status).toBe(200)
  expect((await send({ ownKey: rotated.key, origin: OTHER })).status).toBe(403)
  await app.accounts.updateKey(rotated.id, { allowedOrigins: [OTHER] })
  expect((await send({ ownKey: rotated.key, origin: OTHER })).status).toBe(200)
  expect((await send({ ownKey: rotated.key })).status).toBe(403)
  using database = new Database(join(app.dataDir, 'urlmeta.db'), { readonly: true })
  const rows = database.query('SELECT origin FROM key_origins WHERE key_id = ?').all(rotated.id)
  expect(rows).toEqual([{ origin: OTHER }])
  await app.accounts.updateKey(rotated.id, { allowedOrigins: [] })
  expect((await send({ ownKey: rotated.key, origin: null })).status).toBe(200)
})
