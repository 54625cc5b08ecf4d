import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { landingResponse } from '../../views/landing.tsx'
import { withinMinute } from '../clock-minute.ts'
import { JO } from '../identity/people.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'
import { png, pngResponse } from '../origin/images.ts'
import { startApp, type TestApp } from './app.ts'
import { type Browser, createBrowser, type Visited } from './browser.ts'
import { startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

/** A public address, whose connections end at the origin of the test. */
const PUBLIC = 'http://93.184.215.14'
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const HOSTILE = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;'

/** The tables with rows of a user and of charged requests. */
const CHARGED = ['daily_usage', 'monthly_usage', 'users']

// Tests of the limit may wait for the next minute.
setDefaultTimeout(PATIENT_TEST_MS)

const stack = new AsyncDisposableStack()
let app: TestApp

/** The public address of the origin is the public origin of the service, too: `/` is its landing page. */
async function respond(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const isOwn = pathname === '/' || pathname.startsWith('/favicon.svg')
  if (isOwn) {
    const response = await fetch(app.url + pathname + search)
    return new Response(await response.bytes(), { headers: { 'content-type': response.headers.get('content-type')! } })
  }
  if (pathname === '/to-private') return Response.redirect(`${app.origin}/secret`)
  if (pathname === '/heavy.png') {
    const image = new Uint8Array(5 * 1024 * 1024)
    image.set(png(1200, 630))
    return pngResponse(image)
  }
  if (pathname === '/heavy') {
    return new Response('<title>T</title><meta property="og:image" content="/heavy.png">', { headers: HTML })
  }
  if (pathname.endsWith('.png')) return pngResponse()
  if (pathname === '/private-image') {
    return new Response(`<title>T</title><meta property="og:image" content="${app.origin}/secret.png">`, {
      headers: HTML,
    })
  }
  return new Response(`<title>${HOSTILE}</title><meta property="og:image" content="/a.png">`, { headers: HTML })
}

beforeAll(async () => {
  const proxy = stack.use(
    await openTestProxy({
      kind: 'http',
      addressOf: (host) => (PUBLIC.endsWith(host) ? '127.0.0.1' : host),
      portOf: (port) => (port === 80 ? Number(new URL(app.origin).port) : port),
    }),
  )
  const dns = stack.use(await openDnsServer({ 'intranet.example': () => ({ A: ['127.0.0.1'] }) }))
  app = stack.use(
    await startApp({
      env: {
        URLMETA_PUBLIC_PLAYGROUND: 'on',
        URLMETA_BASE_URL: PUBLIC,
        URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
        URLMETA_DNS_SERVERS: dns.address,
        URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
        // Requests with another address than the peer's.
        URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
      },
      origin: respond,
    }),
  )
})
afterAll(() => stack[Symbol.asyncDispose]())

let clients = 0

/** A browser of another client. */
const visitor = (address = `10.0.0.${++clients}`) => createBrowser(app.url, address)

/** The status of a response of which the client reads only the first packet. The connection stays open. */
async function statusUnread(path: string, address: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { hostname, port } = new URL(app.url)
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(self, data) {
        self.pause()
        resolve(data.toString('latin1', 9, 12))
      },
    },
  })
  stack.defer(() => socket.terminate())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`)
  return promise
}

async function fetchBy(browser: Browser, url: string, fields: Record<string, string> = {}): Promise<Visited> {
  await browser.get('/playground')
  return browser.send('/playground', { url, ...fields })
}

const textOf = (page: Visited, selector: string) => page.document.querySelector(selector)?.text.trim()

describe('a visitor without an account', () => {
  test('sees the link previews and the JSON of a page, and gets no cookie', async () => {
    const browser = visitor()
    const page = await fetchBy(browser, `${PUBLIC}/shown`)
    expect([page.status, page.url.pathname, page.headers.getSetCookie()]).toEqual([200, '/playground', []])
    expect(page.document.querySelectorAll('.previews .card').length).toBeGreaterThan(10)
    expect(page.document.querySelectorAll('main h2').map(({ text }) => text.trim())).toEqual(['Link previews', 'JSON'])
    expect(page.document.querySelector('main .code pre')!.text).toContain(`"url": "${PUBLIC}/shown"`)
    expect(page.document.querySelectorAll('form').map((form) => form.getAttribute('action'))).toEqual(['/playground'])
    expect(page.document.querySelector('[name="url"]')!.getAttribute('value')).toBe(`${PUBLIC}/shown`)
    const src = page.document.querySelector('.previews img')!.getAttribute('src')!
    expect((await browser.request(app.url + src)).status).toBe(200)
    expect((await visitor().request(app.url + src)).status).toBe(404)
  })

  test('gets cached pages, also with the options of the form for users', async () => {
    await fetchBy(visitor(), `${PUBLIC}/cached`)
    const again = await fetchBy(visitor(), `${PUBLIC}/cached`, { fresh: 'true', timeout: '1', headers: 'x' })
    expect(textOf(again, '.outcome')).toContain('From cache')
    expect(app.requestCounts.get('/cached')).toBe(1)
  })

  test('sees what the page says as text', async () => {
    const { document, body } = await fetchBy(visitor(), `${PUBLIC}/hostile`)
    expect(body.includes(HOSTILE)).toBe(true)
    expect(document.querySelectorAll('main script, [onerror]')).toEqual([])
  })

  test('sees that the egress proxy did not connect, and not that the site refused', async () => {
    const { document } = await fetchBy(visitor(), `${PUBLIC}:443/`)
    expect(document.querySelector('main')!.text).toMatch(/connection refused[^]*The egress proxy of this server/)
  })

  test('leaves nothing in the database', async () => {
    expect((await fetchBy(visitor(), `${PUBLIC}/unknown-visitor`)).status).toBe(200)
    using database = new Database(join(app.dataDir, 'urlmeta.db'))
    for (const table of ['users', 'monthly_usage', 'daily_usage', 'shared_results', 'sessions']) {
      expect([table, database.query(`SELECT * FROM ${table}`).all()]).toEqual([table, []])
    }
    // Requests are logged once per second. A later one of a key shows that those before it would be logged.
    await app.metadata(await app.createKey(), '/later')
    const logged = () => database.query('SELECT user_id FROM request_log').all()
    while (logged().length === 0) await Bun.sleep(20)
    expect(logged()).toHaveLength(1)
    for (const table of ['request_log', ...CHARGED]) database.run(`DELETE FROM ${table}`)
  })

  test.each([
    ['no URL', ''],
    ['another scheme', 'ftp://example.com/'],
    ['a private address that the operator allows', 'http://127.0.0.1/secret'],
    ['another spelling of it', 'http://0x7f.1/secret'],
    ['localhost', 'http://localhost/secret'],
    ['too long', `${PUBLIC}/${'a'.repeat(9_000)}`],
  ])('with %s gets 400, which does not count', async (_, url) => {
    const browser = visitor()
    for (let i = 0; i < 6; i++) {
      const page = await fetchBy(browser, url)
      expect([page.status, textOf(page, '.field .error')]).toEqual([400, expect.stringContaining('Invalid URL: ')])
    }
    expect(app.requestCounts.get('/secret')).toBeUndefined()
  })

  test.each([
    ['by name', () => `http://intranet.example:${new URL(app.origin).port}/secret`],
    ['by a redirect', () => `${PUBLIC}/to-private`],
  ])('cannot reach a private host that the operator allows: %s', async (_, url) => {
    const page = await fetchBy(visitor(), url())
    expect([page.status, textOf(page, '.callout.bad')]).toEqual([200, expect.stringContaining('address not allowed')])
    expect(page.document.querySelectorAll('.hops li').map(({ text }) => text.includes('127.0.0.1 '))).not.toContain(
      true,
    )
    expect(app.requestCounts.get('/secret')).toBeUndefined()
  })

  test('does not see an image of a private host', async () => {
    const page = await fetchBy(visitor(), `${PUBLIC}/private-image`)
    expect(page.document.querySelector('.previews')!.text).toContain('address not allowed')
    expect(app.requestCounts.get('/secret.png')).toBeUndefined()
  })

  test('who does not read images takes a bounded amount of memory', async () => {
    const address = `10.0.0.${++clients}`
    const page = await fetchBy(visitor(address), `${PUBLIC}/heavy`)
    const src = page.document.querySelector('.previews img')!.getAttribute('src')!
    const statuses: string[] = []
    for (let i = 0; i < 14; i++) statuses.push(await statusUnread(src, address))
    // Twelve images of 5 MB have 60 MB.
    expect(statuses).toEqual([...Array<string>(12).fill('200'), '404', '404'])
    // Another visitor is not affected.
    const other = `10.0.0.${++clients}`
    const same = await fetchBy(visitor(other), `${PUBLIC}/heavy`)
    expect(await statusUnread(same.document.querySelector('.previews img')!.getAttribute('src')!, other)).toBe('200')
  })

  test('does not get a result of a private host that a key has cached', async () => {
    const url = `http://intranet.example:${new URL(app.origin).port}/cached-secret`
    const key = await app.createKey()
    const query = new URLSearchParams({ url })
    const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
    expect(response.status).toBe(200)
    expect(textOf(await fetchBy(visitor(), url), '.callout.bad')).toContain('address not allowed')
    using database = new Database(join(app.dataDir, 'urlmeta.db'))
    for (const table of CHARGED) database.run(`DELETE FROM ${table}`)
  })

  test('cannot be made to send the form by another site', async () => {
    const response = await visitor().request(`${app.url}/playground`, {
      method: 'POST',
      body: `url=${PUBLIC}/cross-site`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    expect([response.status, app.requestCounts.get('/cross-site')]).toEqual([403, undefined])
  })

  test('gets no other page of the playground', async () => {
    for (const path of ['/playground/results/x', '/playground/results/x/share', '/playground/shared/x/stop']) {
      const page = await visitor().request(app.url + path, { method: path.endsWith('x') ? 'GET' : 'POST' })
      expect([path, page.headers.get('location')]).toEqual([path, expect.stringContaining('/sign-in')])
    }
  })
})

describe('the limit', () => {
  test('is five pages per minute and address; the sixth gets 429, and the typed URL stays in the form', async () => {
    await withinMinute(10)
    const browser = visitor()
    for (let i = 0; i < 5; i++) expect((await fetchBy(browser, `${PUBLIC}/limit`)).status).toBe(200)
    const refused = await fetchBy(browser, `${PUBLIC}/limit`)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(1, 61)
    expect([refused.status, textOf(refused, '.field .error')]).toEqual([
      429,
      `Rate limit exceeded: 5 requests per minute allowed per client address. Retry in ${seconds} seconds.`,
    ])
    expect(refused.document.querySelector('[name="url"]')!.getAttribute('value')).toBe(`${PUBLIC}/limit`)
    expect(await app.logged({ route: '/playground', outcome: 'visitor_limit' })).toMatchObject({ status: 429 })
    expect((await browser.get('/playground')).status).toBe(200)
    expect((await fetchBy(visitor(), `${PUBLIC}/limit`)).status).toBe(200)
  })

  test('counts the addresses of a /64 together', async () => {
    await withinMinute(10)
    const statuses = []
    for (let i = 1; i <= 6; i++) {
      statuses.push((await fetchBy(visitor(`2001:db8:1:2::${i}`), `${PUBLIC}/ipv6`)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await fetchBy(visitor('2001:db8:1:3::1'), `${PUBLIC}/ipv6`)).status).toBe(200)
  })

  test('is not avoided by X-Forwarded-For from a peer that is no trusted proxy', async () => {
    await using direct = await startApp({ env: { URLMETA_PUBLIC_PLAYGROUND: 'on' } })
    await withinMinute(10)
    const statuses = []
    for (let i = 1; i <= 6; i++) {
      const browser = createBrowser(direct.url, `192.0.2.${i}`)
      statuses.push((await browser.send('/playground', { url: 'http://name.invalid/' })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

test('the example of the landing page is what the API returns for it', async () => {
  const key = await app.createKey()
  const response = await fetch(`${app.url}/v1/metadata?url=${encodeURIComponent(`${PUBLIC}/`)}`, {
    headers: { 'x-api-key': key },
  })
  const { fetched_at: _, response_time_ms: _ms, ...fields } = landingResponse(PUBLIC)
  expect(await response.json()).toEqual({
    ...fields,
    fetched_at: expect.any(String),
    response_time_ms: expect.any(Number),
  })
  const landing = await visitor().get('/')
  expect(landing.document.querySelector('.hero form')!.getAttribute('action')).toBe('/playground')
  expect(landing.document.querySelector('.example pre')!.text).toBe(JSON.stringify(landingResponse(PUBLIC), null, 2))
})

test('a user gets the whole playground', async () => {
  await using service = await startSignInApp({ env: { URLMETA_PUBLIC_PLAYGROUND: 'on' } })
  const jo = await service.signedIn(JO)
  await jo.get(`${service.base}/playground`)
  const result = await jo.send('/playground', { url: service.app.origin })
  expect(result.url.pathname).toStartWith('/playground/results/')
  expect((await jo.send('/playground', { url: service.app.origin, csrf: 'forged' })).status).toBe(403)
  const signedOut = await service.browser().get(`${service.base}/playground`)
  expect(signedOut.document.querySelector('nav a[aria-current]')!.text).toBe('Playground')
})

test('it is off by default', async () => {
  await using off = await startApp()
  const browser = createBrowser(off.url)
  expect((await browser.get('/')).document.querySelector('main form')).toBeNull()
  expect((await browser.get('/playground')).url.pathname).toBe('/sign-in')
  expect((await browser.send('/playground', { url: off.origin })).url.pathname).toBe('/sign-in')
  expect((await browser.get('/playground/image?url=x')).url.pathname).toBe('/sign-in')
  expect(off.requestCounts.size).toBe(0)
})
