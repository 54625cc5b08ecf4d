import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

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
