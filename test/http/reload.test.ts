import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { JO } from '../identity/people.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { startPostgres } from '../postgres.ts'
import { startRedis } from '../redis.ts'
import { describePostgres, describeRedis } from '../requirements.ts'
import { until } from '../site.ts'
import { startApp, type TestApp } from './app.ts'
import { startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

const HTML = { 'content-type': 'text/html' }

/** `http://out.test/` redirects to `http://in.test/`; all other pages are private ones. */
function respond(request: Request): Response {
  const { hostname, pathname, port } = new URL(request.url)
  if (hostname === 'out.test') return Response.redirect(`http://in.test:${port}${pathname}`)
  return new Response('<title>Private</title><link rel=icon href=/i.png>', { headers: HTML })
}

async function get(app: TestApp, key: string, url: string) {
  const query = new URLSearchParams({ url })
  const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
  const { title, error } = (await response.json()) as { title?: string; error?: string }
  return `${response.status} ${response.headers.get('x-cache') ?? '-'} ${error ?? title}`
}

/** @param openStore starts a server that is disposed with the stack, and returns the variables that use it */
function describeResults(openStore: (stack: AsyncDisposableStack) => Promise<Record<string, string>>) {
  const stack = new AsyncDisposableStack()
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const loopback = () => ({ A: ['127.0.0.1'] })
    const dns = stack.use(await openDnsServer({ 'in.test': loopback, 'out.test': loopback }))
    const stores = await openStore(stack)
    const env = { URLMETA_DNS_SERVERS: dns.address, URLMETA_PLAN_FREE_PER_MINUTE: '10000', ...stores }
    app = stack.use(await startApp({ env, origin: respond }))
    key = await app.createKey()
  }, PATIENT_TEST_MS)
  afterAll(() => stack.disposeAsync())

  const REFUSED = '502 - Failed to fetch URL: address not allowed'
  test.each<[name: string, host: string, before: string[], after: string[], expected: string]>([
    ['an-address', '127.0.0.1', ['127.0.0.1'], [], '400 - Invalid URL: the address is private or reserved'],
    ['a-name', 'in.test', ['in.test'], [], REFUSED],
    ['the-target-of-a-redirect', 'out.test', ['in.test', 'out.test'], ['out.test'], REFUSED],
    ['a-host-that-is-still-allowed', 'in.test', ['in.test', 'out.test'], ['in.test'], '200 MISS Private'],
    ['the-same-list-in-another-order', 'out.test', ['in.test', 'out.test'], ['out.test', 'in.test'], '200 HIT Private'],
  ])('%s', async (name, host, before, after, expected) => {
    const { port } = new URL(app.origin)
    const allow = (hosts: string[]) =>
      app.reload({ URLMETA_ALLOW_PRIVATE_HOSTS: hosts.map((allowed) => `${allowed}:${port}`).join() })
    const result = () => get(app, key, `http://${host}:${port}/${name}`)

    allow(before)
    expect(await result()).toBe('200 MISS Private')
    // A response does not wait for the cache.
    await until(async () => (await result()) === '200 HIT Private')
    allow(after)
    expect(await result()).toBe(expected)
    allow(before)
    // Processes with different lists share a cache while they are reloaded one after the other.
    expect(await result()).toBe('200 HIT Private')
  })
}

describe.each(['0', '1'])('a result in SQLite under a changed allow-list, with URLMETA_WORKERS=%s', (workers) =>
  describeResults(async () => ({ URLMETA_WORKERS: workers })),
)

describePostgres('a result in PostgreSQL under a changed allow-list', (binDir) =>
  describeResults(async (stack) => ({
    URLMETA_DATABASE_URL: await stack.use(await startPostgres(binDir)).createDatabase(),
  })),
)

describeRedis('a result in Redis under a changed allow-list', (executable) =>
  describeResults(async (stack) => ({ URLMETA_REDIS_URL: stack.use(await startRedis(executable)).url })),
)

test('a page of the playground and a shared result are not shown under another allow-list', async () => {
  await using service = await startSignInApp({ origin: respond })
  const jo = await service.signedIn(JO)
  await jo.get('/playground')
  const { url, body } = await jo.send('/playground', { url: service.app.origin, timeout: '5000' })
  expect(body).toContain('Private')
  const created = await jo.send(`${url.pathname}/share`)
  const link = created.document.querySelector('.created pre')!.text.trim().slice(service.base.length)
  const visitor = service.browser()
  expect((await visitor.get(link)).body).toContain('Private')
  service.app.reload({ URLMETA_ALLOW_PRIVATE_HOSTS: '' })
  const shared = await visitor.get(link)
  expect([shared.status, shared.body.includes('Private')]).toEqual([404, false])
  const shown = await jo.get(url.pathname)
  expect([shown.status, shown.body.includes('Private')]).toEqual([404, false])
})

test('changed plans are in the OpenAPI document, in the documentation and on the pages of users', async () => {
  await using service = await startSignInApp()
  const jo = await service.signedIn(JO)
  const paths = ['/openapi.json', '/docs', '/usage', '/', '/keys', '/playground', '/account']
  const showing = async (number: string) => {
    const bodies = await Promise.all(paths.map(async (path) => (await jo.get(path)).body))
    return paths.filter((path, i) => bodies[i]!.includes(path.endsWith('.json') ? number.replace(',', '') : number))
  }
  expect(await showing('1,000')).toContain('/openapi.json')
  service.app.reload({
    URLMETA_PLAN_FREE_PER_MINUTE: '7341',
    URLMETA_PLAN_FREE_PER_MONTH: '7342',
    URLMETA_PLAN_FREE_KEYS: '7343',
  })
  expect(await showing('7,341')).toEqual(['/openapi.json', '/docs', '/usage', '/'])
  expect(await showing('7,342')).toEqual(['/openapi.json', '/docs', '/usage', '/', '/playground'])
  expect(await showing('7,343')).toEqual(['/openapi.json', '/docs', '/usage', '/', '/keys'])
})

test('a changed plan limits the next request, although the owner of its key is cached', async () => {
  await using app = await startApp({ env: { URLMETA_PLAN_FREE_PER_MINUTE: '10' }, origin: respond })
  const key = await app.createKey()
  const limits = async () => {
    const { headers } = await app.metadata(key, '/')
    return [headers.get('x-ratelimit-limit'), headers.get('x-monthly-limit')]
  }
  expect(await limits()).toEqual(['10', '1000'])
  expect(await limits()).toEqual(['10', '1000'])
  app.reload({ URLMETA_PLAN_FREE_PER_MINUTE: '7', URLMETA_PLAN_FREE_PER_MONTH: '70' })
  expect(await limits()).toEqual(['7', '70'])
})
