import { expect, test } from 'bun:test'

import { StoreError } from '../../src/core/store-fault.ts'
import { healthRoutes } from '../../src/http/routes/health.ts'
import { attributeIn, pageTree } from '../page-tree.ts'
import { startApp } from './app.ts'

test.each(['/healthz', '/readyz'])('%s returns ok', async (path) => {
  await using app = await startApp()
  const response = await fetch(app.url + path)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})

test('the landing page has the public origin, escaped, and loads nothing from other servers', async () => {
  await using app = await startApp({ env: { URLMETA_BASE_URL: 'https://meta.example' } })
  const response = await fetch(`${app.url}/`)
  const body = await response.text()
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(body).toStartWith('<!doctype html>')
  expect(body).toContain('&quot;https://meta.example/v1/metadata?url=')
  const page = pageTree(body)
  const loaded = page
    .querySelectorAll('[src], [href]')
    .flatMap((element) => [element.getAttribute('src') ?? [], element.getAttribute('href') ?? []].flat())
  expect(loaded.filter((address) => !/^(?:[/#]|https:\/\/meta\.example\/)/.test(address))).toEqual([])
  expect(page.querySelectorAll('script').map(({ attributes, text }) => [Object.keys(attributes), text])).toEqual([
    [['src', 'defer'], ''],
  ])
})

test('assets are immutable at the URLs with a hash that pages use, and not cached with the hash of another version', async () => {
  await using app = await startApp()
  const body = await (await fetch(`${app.url}/`)).text()
  const marked = attributeIn(pageTree(body).querySelector('link[rel="stylesheet"]'), 'href')
  expect(marked).toMatch(/^\/style\.css\?v=\w+$/)
  const cacheControl = async (path: string) => (await fetch(app.url + path)).headers.get('cache-control')
  expect(await cacheControl(marked)).toBe('public, max-age=31536000, immutable')
  for (const path of ['/style.css', '/style.css?v=1']) expect(await cacheControl(path)).toBe('public, max-age=3600')
  expect(await cacheControl(`${marked}0`)).toBe('no-store')
})

test('the image of link previews is at an absolute URL, has the size that the page says, and is small', async () => {
  await using app = await startApp()
  const page = pageTree(await (await fetch(`${app.url}/`)).text())
  const content = (property: string) => attributeIn(page.querySelector(`meta[property="${property}"]`), 'content')
  const url = new URL(content('og:image'))
  const response = await fetch(app.url + url.pathname + url.search, { headers: { 'accept-encoding': 'br, gzip' } })
  const bytes = Buffer.from(await response.arrayBuffer())
  expect([response.status, response.headers.get('content-type'), response.headers.get('content-encoding')]).toEqual([
    200,
    'image/png',
    null,
  ])
  // PNG: the header chunk begins with the width and the height.
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)].map(String)).toEqual([
    content('og:image:width'),
    content('og:image:height'),
  ])
  expect(bytes.length).toBeLessThan(100_000)
})

test('there is one style sheet', async () => {
  await using app = await startApp()
  const response = await fetch(`${app.url}/style.css`)
  expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(await response.text()).toContain('color-scheme')
})

test('an unexpected request body is not read', async () => {
  await using app = await startApp()
  const response = await fetch(`${app.url}/v1/metadata`, { method: 'POST', body: 'x'.repeat(300_000) })
  expect(response.status).toBe(413)
})

test.each([
  ['the disk is full', () => new StoreError('full')],
  ['the database does not respond', () => new Error('internals at /srv/urlmeta')],
])('without a database /healthz succeeds and /readyz fails: %s', async (reason, makeError) => {
  const faults: unknown[] = []
  const ping = () => Promise.reject(makeError())
  const routes = healthRoutes({ ping, onNotReady: (error) => faults.push(error), isStopping: () => false })
  expect((await routes.handle(new Request('http://localhost/healthz'))).status).toBe(200)
  const response = await routes.handle(new Request('http://localhost/readyz'))
  expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', reason }])
  expect(faults).toHaveLength(1)
})

test('when the server is about to stop, /readyz is 503, and every response closes its connection', async () => {
  await using app = await startApp()
  expect((await fetch(app.url)).headers.get('connection')).not.toBe('close')
  app.announceStop()
  const [ready, health, page] = await Promise.all(['/readyz', '/healthz', '/'].map((path) => fetch(app.url + path)))
  expect([ready!.status, await ready!.json()]).toEqual([
    503,
    { status: 'unavailable', reason: 'the server is stopping' },
  ])
  expect([health!.status, page!.status]).toEqual([200, 200])
  for (const response of [ready, health, page]) expect(response!.headers.get('connection')).toBe('close')
  expect(app.log.filter(({ level }) => level === 'error')).toEqual([])
})

test.each(['[', 'a b', '%', 'x'.repeat(300), '.', ':80'])(
  'a Host of %j does not disclose source code',
  async (host) => {
    await using app = await startApp()
    for (const path of ['/', '/keys', '/sign-in/link?token=x', '/v1/metadata', '/nothing']) {
      const response = await fetch(app.url + path, { headers: { host, accept: 'text/html' }, redirect: 'manual' })
      expect(response.status).toBeWithin(200, 500)
      expect(await response.text()).not.toMatch(/\.tsx?\b|node_modules|cwd/)
    }
  },
)
