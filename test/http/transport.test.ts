import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sign } from '../../src/core/accounts/token.ts'
import { startApp, type TestApp } from './app.ts'

describe('Strict-Transport-Security', () => {
  const PATHS = ['/', '/docs', '/healthz', '/favicon.svg', '/favicon.ico', '/nothing', '/v1/metadata', '/keys']
  const headerOf = async ({ url }: TestApp, path: string) =>
    (await fetch(url + path, { redirect: 'manual', headers: { accept: 'text/html' } })).headers.get(
      'strict-transport-security',
    )

  test('is sent with every response if the public origin is https', async () => {
    await using app = await startApp({ env: { URLMETA_BASE_URL: 'https://meta.example' } })
    for (const path of PATHS) expect([path, await headerOf(app, path)]).toEqual([path, 'max-age=31536000'])
  })

  test('is not sent if it is http', async () => {
    await using app = await startApp()
    for (const path of PATHS) expect([path, await headerOf(app, path)]).toEqual([path, null])
  })
})

describe('X-Forwarded-For', () => {
  const warnings = (app: TestApp) => app.log.filter(({ msg }) => String(msg).startsWith('X-Forwarded-For ignored'))
  const visit = ({ url }: TestApp, headers: Record<string, string>) => fetch(`${url}/sign-in/link?token=x`, { headers })

  test('from an untrusted peer is reported once, with the consequences', async () => {
    await using app = await startApp()
    await visit(app, {})
    expect(warnings(app)).toEqual([])
    for (let n = 0; n < 3; n++) await visit(app, { 'x-forwarded-for': `198.51.100.${n}` })
    expect(warnings(app)).toMatchObject([{ level: 'warn', msg: expect.stringContaining('its clients count as one') }])
  })

  describe('is reported wherever an address decides', () => {
    const SECRET = 'a-secret-of-at-least-32-characters'
    const ENV = {
      URLMETA_PUBLIC_PLAYGROUND: 'on',
      URLMETA_IMAGE_PROXY: 'on',
      URLMETA_METRICS_TOKEN: 'a-token-of-the-operator',
      URLMETA_SECRET: SECRET,
      // No request leaves this machine.
      URLMETA_EGRESS_PROXY: 'http://127.0.0.1:1',
    }
    const SITE = 'https://site.example'
    const PAGE = 'http://93.184.215.14/'
    const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

    interface Sent {
      path: string
      headers?: Record<string, string>
      body?: string
    }

    function image(keyId: string): Sent {
      const expires = String(Math.floor(Date.now() / 1_000) + 86_400)
      const signature = sign(new TextEncoder().encode(SECRET), 'public-image', keyId, PAGE, expires)
      return { path: `/v1/image?${new URLSearchParams({ url: PAGE, key: keyId, expires, signature })}` }
    }

    const visitor = (key: string): Sent => ({
      path: `/v1/metadata?url=${PAGE}`,
      headers: { 'x-api-key': key, origin: SITE },
    })

    test.each<[string, (key: string, keyId: string) => Sent]>([
      ['a sign-in', () => ({ path: '/sign-in/link?token=x' })],
      ['a failed authentication', () => ({ path: '/v1/metadata', headers: { 'x-api-key': 'wrong' } })],
      ['one in another format', () => ({ path: '/oembed?url=x&key=wrong' })],
      ['a wrong token for metrics', () => ({ path: '/metrics', headers: { authorization: 'Bearer wrong' } })],
      ['a visitor of a page with a key', visitor],
      ['an image of a card', (_, keyId) => image(keyId)],
      ['the public playground', () => ({ path: '/playground', headers: FORM, body: `url=${PAGE}` })],
      ['an image of the public playground', () => ({ path: '/playground/image?url=x' })],
    ])('%s', async (_, sentBy) => {
      await using app = await startApp({ env: ENV })
      const key = await app.createKey('jo@example.com', { allowedOrigins: [SITE] })
      const [stored] = await app.accounts.listKeys()
      const { path, headers, body } = sentBy(key, stored!.id)
      const forwarded = { ...headers, 'x-forwarded-for': '198.51.100.1' }
      await fetch(app.url + path, { headers: forwarded, ...(body !== undefined && { method: 'POST', body }) })
      expect(warnings(app)).toHaveLength(1)
    })

    test('a list of client addresses of a key', async () => {
      await using app = await startApp()
      const key = await app.createKey('jo@example.com', { allowedAddresses: ['192.0.2.1'] })
      const headers = { 'x-api-key': key, 'x-forwarded-for': '192.0.2.1' }
      const refused = await fetch(`${app.url}/v1/metadata?url=${PAGE}`, { headers })
      expect([refused.status, warnings(app).length]).toEqual([403, 1])
    })
  })

  test('from a trusted peer is not reported', async () => {
    await using app = await startApp({ env: { URLMETA_TRUSTED_PROXIES: '127.0.0.1' } })
    await visit(app, { 'x-forwarded-for': '198.51.100.1' })
    expect(warnings(app)).toEqual([])
  })

  test('with ports: every client has its own limit', async () => {
    await using app = await startApp({ env: { URLMETA_TRUSTED_PROXIES: '127.0.0.1' } })
    const statuses = new Set<number>()
    for (let n = 0; n < 40; n++) statuses.add((await visit(app, { 'x-forwarded-for': `198.51.100.${n}:4711` })).status)
    expect([...statuses]).toEqual([400])
  })
})

describe('methods', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  /** The complete response to one request, as text. */
  function send(url: string, head: string): Promise<string> {
    const { hostname, port } = new URL(url)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    let received = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`),
    )
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    return promise
  }

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'LINK', 'QUERY', 'CONNECT'])(
    '%s on a path with other methods gets 405 and Allow',
    async (method) => {
      const answer = await send(app.url, `${method} /v1/metadata HTTP/1.1`)
      expect(answer).toStartWith('HTTP/1.1 405 ')
      expect(answer.toLowerCase()).toContain('\r\nallow: get, head\r\n')
    },
  )

  test.each(['//', '/?', '/healthz//'])('GET of the unusual path %s does not get 405', async (path) => {
    expect(await send(app.url, `GET ${path} HTTP/1.1`)).not.toStartWith('HTTP/1.1 405 ')
  })

  test.each(['/ab/metrics', '/ab/healthz', '/..;/healthz'])(
    'with a short Host, %s is not another path',
    async (path) => {
      expect(await send(app.url, `GET ${path} HTTP/1.1`)).toStartWith('HTTP/1.1 404 ')
    },
  )

  test.each([
    [300, 200],
    [301, 400],
  ])('a Host of %d characters gets %d', async (length, status) => {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${'a'.repeat(length)}\r\nConnection: close\r\n\r\n`)
    expect(await text(socket)).toStartWith(`HTTP/1.1 ${status} `)
  })

  test.each([
    [1_000, 'Invalid API key'],
    [1_001, 'Missing API key'],
  ])('an API key as parameter %d gets 401: %s', async (position, error) => {
    const answer = await send(app.url, `GET /v1/metadata?${'a&'.repeat(position - 1)}api_key=x HTTP/1.1`)
    expect(answer).toStartWith('HTTP/1.1 401 ')
    expect(answer).toEndWith(JSON.stringify({ error }))
  })

  // Described in docs/monitoring.md: Bun's HTTP parser closes the connection before the service sees the request.
  test.each(['FOO', 'get', 'BREW'])('%s, which Bun does not know, is rejected by Bun itself', async (method) => {
    const bare = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('reached') })
    try {
      const head = `${method} /v1/metadata HTTP/1.1`
      const [ours, theirs] = await Promise.all([send(app.url, head), send(bare.url.origin, head)])
      expect([ours, theirs]).toEqual(['', ''])
    } finally {
      await bare.stop(true)
    }
  })
})
