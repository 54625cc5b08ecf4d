import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sign } from '../../src/core/accounts/token.ts'
import { withinMinute } from '../clock-minute.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'
import { png, svg } from '../origin/images.ts'
import { startApp, type TestApp } from './app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const MB = 1024 * 1024
const DAY_S = 86_400
const SECRET = 'a-secret-of-at-least-32-characters'
/** A public address, whose connections end at the origin of the test. */
const PUBLIC = 'http://93.184.215.14'

/** A PNG with the given file size. */
function heavy(bytes: number): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(bytes)
  image.set(png(1200, 630))
  return image
}

const IMAGES: Record<string, (request: Request) => Response | Promise<Response>> = {
  '/a.png': ({ headers }) => typed(headers.has('cookie') ? '' : png(1200, 630), 'image/png; charset=x'),
  '/as-html': () => typed(png(3, 2), 'text/html'),
  '/delayed.png': async ({ url }) => {
    await Bun.sleep(Number(new URL(url).searchParams.get('until')) - Date.now())
    return typed(png(3, 2), 'image/png')
  },
  '/a.svg': () => typed(svg('width="24" height="12"'), 'image/svg+xml'),
  '/page.png': () => typed('<script>alert(1)</script>', 'image/png'),
  '/most': () => typed(heavy(5 * MB), 'image/png'),
  '/more': () => typed(heavy(5 * MB + 1), 'image/png'),
  '/page': () =>
    typed(`<title>A page</title><meta property=og:image content="/a.png"><link rel=icon href=/missing>`, 'text/html'),
  '/icon-only': () => typed('<title>A page</title><link rel=icon href=/a.png>', 'text/html'),
  '/rule': ({ headers }) => typed(headers.get('user-agent') === 'Rule/1' ? png(3, 2) : '', 'image/png'),
  '/rule-page': ({ headers }) => typed(`<title>${headers.get('user-agent')}</title>`, 'text/html'),
  '/plain': () => typed('<title>A page</title>', 'text/html'),
  '/to-private': () => Response.redirect(`${app.origin}/a.png`),
  '/to-loopback': () => Response.redirect('http://127.0.0.1:1/'),
  '/to-public': () => Response.redirect(`${PUBLIC}/a.png`),
}

const typed = (body: Uint8Array | string, type: string) =>
  new Response(new Blob([body.slice()]), { headers: { 'content-type': type, 'set-cookie': 'site=1' } })

const stack = new AsyncDisposableStack()
let app: TestApp
/** The id of a key of jo@example.com. */
let keyId: string

beforeAll(async () => {
  const proxy = stack.use(
    await openTestProxy({ kind: 'http', addressOf: () => '127.0.0.1', portOf: () => Number(new URL(app.origin).port) }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sites = join(folder, 'sites.json')
  // Headers and cookies are only sent to images over https, so the User-Agent shows whether the rule is used.
  const rule = { hosts: [new URL(PUBLIC).host], userAgent: 'Rule/1', cookies: { rule: 'sent' }, insecure: true }
  writeFileSync(sites, JSON.stringify([rule]))
  app = stack.use(
    await startApp({
      env: {
        URLMETA_SITES: sites,
        URLMETA_IMAGE_PROXY: 'on',
        URLMETA_SECRET: SECRET,
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
        URLMETA_PLAN_FREE_KEYS: '1000',
        URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
        // Requests with another address than the peer's.
        URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
      },
      origin: (request) => IMAGES[new URL(request.url).pathname]?.(request) ?? new Response('', { status: 404 }),
    }),
  )
  keyId = await newKeyId()
})
afterAll(() => stack[Symbol.asyncDispose]())

async function newKeyId(email = 'jo@example.com', on = app): Promise<string> {
  await on.createKey(email)
  return (await on.accounts.listKeys()).findLast((key) => key.email === email)!.id
}

/** A path with the signature of the server. */
function pathOf(image: string, { key = keyId, expires = tomorrow() } = {}) {
  const url = image.startsWith('/') ? PUBLIC + image : image
  const signature = sign(new TextEncoder().encode(SECRET), 'public-image', key, url, expires)
  return `/v1/image?${new URLSearchParams({ url, key, expires, signature })}`
}

const nowSeconds = () => Math.floor(Date.now() / 1_000)
const tomorrow = () => String(nowSeconds() + 2 * DAY_S)

let clients = 0

/** Requests an image, by default as another visitor. */
const request = (path: string, init: RequestInit = {}, client = `10.0.${clients >> 8}.${++clients & 255}`, on = app) =>
  fetch(on.url + path, { ...init, headers: { 'x-forwarded-for': client, ...init.headers } })

const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error

describe('an image', () => {
  test.each([
    ['/a.png', png(1200, 630)],
    ['/as-html', png(3, 2)],
    ['/to-public', png(1200, 630)],
    ['/most', heavy(5 * MB)],
  ])('%s is passed on as its bytes say, and nothing else of the response', async (path, bytes) => {
    const response = await request(pathOf(path), { headers: { cookie: 'urlmeta_session=x' } })
    expect(response.status).toBe(200)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes))
    const headers = Object.fromEntries(response.headers)
    for (const name of ['x-request-id', 'date', 'content-length', 'transfer-encoding']) delete headers[name]
    expect(headers).toEqual({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=86400',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline; filename="preview"',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  test('is not cached beyond the expiry of its link', async () => {
    const response = await request(pathOf('/a.png', { expires: String(nowSeconds() + 3_600) }))
    expect(Number(/^public, max-age=(\d+)$/.exec(response.headers.get('cache-control')!)![1])).toBeWithin(3_500, 3_600)
  })

  test('is not cached if its link has expired during the fetch', async () => {
    const expires = Math.ceil(Date.now() / 1_000 + 3.5)
    const response = await request(pathOf(`/delayed.png?until=${expires * 1_000 + 1}`, { expires: String(expires) }))
    expect(response.headers.get('cache-control')).toBe('public, max-age=0')
  })

  test('has headers without a body for HEAD', async () => {
    const response = await request(pathOf('/a.png'), { method: 'HEAD' })
    const [type, length] = ['content-type', 'content-length'].map((name) => response.headers.get(name))
    expect([response.status, type, length, await response.text()]).toEqual([
      200,
      'image/png',
      String(png(1200, 630).length),
      '',
    ])
  })

  test.each([
    ['/a.svg', 'image/svg+xml is not supported'],
    ['/page.png', 'not an image: text/html'],
    ['/more', 'over 5 MB'],
    ['/missing', 'HTTP 404'],
    ['/to-private', 'address not allowed'],
    ['/to-loopback', 'address not allowed'],
    ['http://127.0.0.1:1/', 'address not allowed'],
    ['http://[::ffff:10.0.0.1]/', 'address not allowed'],
    ['http://localhost/', 'address not allowed'],
  ])('%s is refused: %s', async (path, problem) => {
    const response = await request(pathOf(path))
    expect([response.status, await errorOf(response)]).toEqual([502, `Failed to fetch image: ${problem}`])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('of a private host that the operator allows is refused', async () => {
    expect(await errorOf(await request(pathOf(`${app.origin}/a.png`)))).toBe(
      'Failed to fetch image: address not allowed',
    )
  })

  test('is requested without the rules for its site, whose headers and cookies are meant for requests for pages', async () => {
    const apiKey = await app.createKey('rule@example.com')
    const page = await request(`/v1/metadata?url=${PUBLIC}/rule-page`, { headers: { 'x-api-key': apiKey } })
    expect(await page.json()).toMatchObject({ title: 'Rule/1' })
    expect(await errorOf(await request(pathOf('/rule')))).toBe('Failed to fetch image: empty response')
    expect((await request(pathOf('/a.png'))).status).toBe(200)
  })

  test('of a suspended user is refused until the user is resumed', async () => {
    const key = await newKeyId('suspended@example.com')
    const suspend = (at: string) => {
      using database = new Database(join(app.dataDir, 'urlmeta.db'))
      database.run(`UPDATE users SET suspended_at = ${at} WHERE email = 'suspended@example.com'`)
    }
    const answer = async () => (await request(pathOf('/a.png', { key }))).status
    expect(await answer()).toBe(200)
    suspend('1')
    expect(await answer()).toBe(401)
    suspend('NULL')
    expect(await answer()).toBe(200)
  })

  test('that fails has the host and the reason in its log line', async () => {
    await request(pathOf('/to-loopback'))
    const line = { route: '/v1/image', outcome: 'fetch_failed', detail: 'Failed to fetch image: address not allowed' }
    expect(await app.logged(line)).toMatchObject({ key: keyId, host: new URL(PUBLIC).host })
  })

  test('has the key in its log line, and does not count as a request for metadata', async () => {
    const apiKey = await app.createKey('counted@example.com')
    const key = (await app.accounts.listKeys()).find(({ email }) => email === 'counted@example.com')!.id
    await request(pathOf('/a.png', { key }))
    expect(await app.logged({ key })).toMatchObject({ route: '/v1/image', outcome: 'ok', status: 200 })
    const { headers } = await request(`/v1/metadata?url=${PUBLIC}/page`, { headers: { 'x-api-key': apiKey } })
    expect([headers.get('x-monthly-used'), headers.get('x-ratelimit-remaining')]).toEqual(['1', '999'])
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/\nurlmeta_http_requests_total\{route="\/v1\/image",outcome="ok"\} [1-9]/)
  })
})

describe('fields=pictures', () => {
  interface Response {
    image?: string
    extra: { pictures?: { image?: string; favicon?: string } }
  }
  async function metadataOf(path: string, fields = 'pictures', headers: Record<string, string> = {}, on = app) {
    const own = headers['x-api-key'] ?? (await on.createKey('fields@example.com'))
    const query = new URLSearchParams({ url: PUBLIC + path, fields })
    const response = await request(
      `/v1/metadata?${query}`,
      { headers: { ...headers, 'x-api-key': own } },
      undefined,
      on,
    )
    return (await response.json()) as Response
  }
  const parametersOf = (link: string) => Object.fromEntries(new URL(link).searchParams)

  test('has links to image and favicon on this server, with the key of the request', async () => {
    const { image, extra } = await metadataOf('/page')
    const links = Object.values(extra.pictures!)
    expect(Object.keys(extra.pictures!)).toEqual(['image', 'favicon'])
    expect(links.map((link) => parametersOf(link)['url'])).toEqual([`${PUBLIC}/a.png`, `${PUBLIC}/missing`])
    expect(image).toBe(`${PUBLIC}/a.png`)
    const base = app.url.replace('127.0.0.1', 'localhost')
    for (const link of links) expect(link).toStartWith(`${base}/v1/image?`)
    const [first, second] = await Promise.all(links.map((link) => request(link.slice(base.length))))
    expect([first!.status, second!.status]).toEqual([200, 502])
    expect(new Uint8Array(await first!.arrayBuffer())).toEqual(new Uint8Array(png(1200, 630)))
  })

  test('has links that work for seven days, and are the same in all responses to a key on a day', async () => {
    const headers = { 'x-api-key': await app.createKey('daily@example.com') }
    const linkIn = async () => (await metadataOf('/icon-only', 'pictures,final_url', headers)).extra.pictures
    const [first, again, other] = [await linkIn(), await linkIn(), (await metadataOf('/icon-only')).extra.pictures]
    expect(Object.keys(first!)).toEqual(['favicon'])
    const { expires } = parametersOf(first!.favicon!)
    expect(Number(expires) % DAY_S).toBe(0)
    expect(Number(expires) - nowSeconds()).toBeWithin(7 * DAY_S - 60, 8 * DAY_S)
    // Unless the day ends meanwhile.
    if (expires === parametersOf(again!.favicon!)['expires']) expect(again).toEqual(first!)
    expect(other).not.toEqual(first!)
  })

  test('of a key for web pages works like with any other', async () => {
    const origin = 'https://site.example'
    const own = await app.createKey('pages@example.com', { allowedOrigins: [origin] })
    const { extra } = await metadataOf('/icon-only', 'pictures', { origin, 'x-api-key': own })
    const { pathname, search } = new URL(extra.pictures!.favicon!)
    expect((await request(pathname + search)).status).toBe(200)
  })

  test('without images there are no links', async () => {
    expect((await metadataOf('/plain')).extra).toEqual({})
    expect((await metadataOf('/page', 'theme_color')).extra).toEqual({})
  })

  test('uses a cached result', async () => {
    await metadataOf('/icon-only')
    const before = app.requestCounts.get('/icon-only')
    expect((await metadataOf('/icon-only')).extra).toHaveProperty('pictures')
    expect(app.requestCounts.get('/icon-only')).toBe(before)
  })
})

describe('a link', () => {
  const changed = (changes: Record<string, string | null>) => {
    const parameters = new URLSearchParams(pathOf('/a.png').split('?')[1])
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) parameters.delete(name)
      else parameters.set(name, value)
    }
    return `/v1/image?${parameters}`
  }

  test.each<[string, () => string | Promise<string>]>([
    ['to another image', () => changed({ url: `${PUBLIC}/b.png` })],
    ['with a later expiry', () => changed({ expires: String(nowSeconds() + 9 * DAY_S) })],
    ['with an expiry that is no number', () => changed({ expires: 'never' })],
    ['of another key', async () => changed({ key: await newKeyId() })],
    ['with a part of a signature', () => changed({ signature: 'x' })],
    ['without a signature', () => changed({ signature: null })],
    ['without parameters', () => '/v1/image'],
    [
      'that is signed for the dashboard',
      () =>
        changed({ signature: sign(new TextEncoder().encode(SECRET), 'image', keyId, `${PUBLIC}/a.png`, tomorrow()) }),
    ],
  ])('%s is refused', async (_, path) => {
    const before = app.requestCounts.get('/a.png')
    const response = await request(await path())
    expect([response.status, await errorOf(response)]).toEqual([403, 'Invalid signature'])
    expect(app.requestCounts.get('/a.png')).toBe(before)
  })

  test('that has expired is refused', async () => {
    const response = await request(pathOf('/a.png', { expires: String(nowSeconds()) }))
    expect([response.status, await errorOf(response)]).toEqual([403, 'The link to this image has expired'])
  })

  test.each<[string, (key: string) => Promise<unknown>]>([
    ['was deactivated', (key) => app.accounts.deactivateKey(key)],
    ['was rotated without an overlap', (key) => app.accounts.rotateKey(key, 0)],
  ])('of a key that %s is refused', async (_, end) => {
    const key = await newKeyId()
    expect((await request(pathOf('/a.png', { key }))).status).toBe(200)
    await end(key)
    const response = await request(pathOf('/a.png', { key }))
    expect([response.status, await errorOf(response)]).toEqual([401, 'Invalid API key'])
  })
})

describe('limits', () => {
  const statusesOf = async (count: number, send: () => Promise<Response>) => {
    const statuses: number[] = []
    while (statuses.length < count) statuses.push((await send()).status)
    return statuses
  }
  const ok = (count: number) => Array.from({ length: count }, () => 200)
  const limitText = (response: Response, what: string) =>
    `Rate limit exceeded: ${what}. Retry in ${response.headers.get('retry-after')} seconds.`

  test(
    'a visitor gets the images of 30 responses a minute',
    async () => {
      const path = pathOf('/a.png', { key: await newKeyId() })
      await withinMinute(20)
      expect(await statusesOf(60, () => request(path, {}, '192.0.2.1'))).toEqual(ok(60))
      const refused = await request(path, {}, '192.0.2.1')
      expect(refused.status).toBe(429)
      expect(await errorOf(refused)).toBe(limitText(refused, '60 requests per minute allowed per client address'))
      expect((await request(path, {}, '192.0.2.2')).status).toBe(200)
      expect((await request(pathOf('/a.png'), {}, '192.0.2.1')).status).toBe(200)
    },
    PATIENT_TEST_MS,
  )

  test(
    'a key and its user get the images of as many responses as the plan allows',
    async () => {
      await using limited = await startApp({
        env: {
          URLMETA_IMAGE_PROXY: 'on',
          URLMETA_SECRET: SECRET,
          URLMETA_PLAN_FREE_PER_MINUTE: '2',
          URLMETA_PLAN_FREE_KEYS: '2',
          URLMETA_TRUSTED_PROXIES: '127.0.0.1',
        },
      })
      // Refused images count like others.
      const send = (key: string) => request(pathOf('http://127.0.0.1:1/', { key }), {}, `10.1.0.${++clients}`, limited)
      const [first, second] = [await newKeyId('jo@example.com', limited), await newKeyId('jo@example.com', limited)]
      await withinMinute(10)
      expect(await statusesOf(5, () => send(first))).toEqual([502, 502, 502, 502, 429])
      const refused = await send(first)
      expect(await errorOf(refused)).toBe(limitText(refused, '4 images per minute allowed with this key'))
      expect(refused.headers.has('x-ratelimit-limit')).toBe(false)
      expect(await statusesOf(4, () => send(second))).toEqual([502, 502, 502, 502])
      await limited.accounts.deactivateKey(first)
      const third = await newKeyId('jo@example.com', limited)
      expect((await send(third)).status).toBe(429)
      await limited.accounts.setLimits('jo@example.com', { perMinute: 3 })
      // Both keys share twelve images, of which eight are counted.
      expect(await statusesOf(5, () => send(third))).toEqual([502, 502, 502, 502, 429])
      expect((await send(await newKeyId('ann@example.com', limited))).status).toBe(502)
      expect(await limited.logged({ outcome: 'image_limit' })).toMatchObject({ status: 429, key: first })
    },
    PATIENT_TEST_MS,
  )
})

test('without URLMETA_IMAGE_PROXY there is no such path', async () => {
  await using off = await startApp({ env: { URLMETA_SECRET: SECRET } })
  const response = await request(pathOf('/a.png', { key: await newKeyId('jo@example.com', off) }), {}, undefined, off)
  expect([response.status, await errorOf(response)]).toEqual([404, 'Not found'])
  const metadata = await off.metadata(await off.createKey(), '/', { fields: 'pictures' })
  expect(await metadata.json()).toMatchObject({ favicon: `${off.origin}/icon.png`, extra: {} })
})
