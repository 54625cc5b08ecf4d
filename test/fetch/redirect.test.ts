import { describe, expect, test } from 'bun:test'

import type { FetcherDeps } from '../../src/fetch/fetcher.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { responseBytes, openRawOrigin } from '../origin/raw-origin.ts'
import { headerOf, openSite, page, redirect, type Route } from '../origin/site.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

/** A site with several names. */
async function openSites(routes: Record<string, Route>, parts: Partial<FetcherDeps> = {}) {
  await using stack = new AsyncDisposableStack()
  const site = stack.use(await openSite(routes))
  const names = ['a.test', 'www.a.test', 'b.test', 'xn--bcher-kva.test']
  const dns = stack.use(
    await openDnsServer(Object.fromEntries(names.map((name) => [name, () => ({ A: ['127.0.0.1'] })]))),
  )
  const allow = [`127.0.0.1:${site.port}`]
  const fetcher = stack.use(fetcherFor(allow, { dnsServers: [dns.address], ...parts }))
  const owned = stack.move()
  return {
    site,
    async fetch(path: string, host = 'a.test') {
      using budget = budgetOf()
      return await fetcher.fetch(new URL(`http://${host}:${site.port}${path}`), budget)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const portOf = (head: string): string => headerOf(head, 'Host').split(':')[1] ?? ''

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed with a GET', async (status) => {
    await using sites = await openSites({ '/': redirect('/next', {}, status), '/next': page('<p>') })
    const { url, status: last, trace } = await sites.fetch('/')
    expect([url.pathname, last]).toEqual(['/next', 200])
    expect(trace.hops.map((hop) => [hop.by, hop.status, hop.isDowngrade])).toEqual([
      ['caller', status, false],
      ['redirect', 200, false],
    ])
    expect(sites.site.heads[1]).toStartWith('GET /next HTTP/1.1\r\n')
  })

  test.each([
    ['a relative path', '/a/b', 'next?x=1', '/a/next?x=1'],
    ['raw UTF-8', '/', Buffer.from('/müsli').toString('latin1'), '/m%C3%BCsli'],
    ['spaces', '/', '/a b', '/a%20b'],
    ['a fragment', '/', '/next#top', '/next'],
  ])('%s in Location', async (_name, from, location, to) => {
    await using sites = await openSites({ [from]: redirect(location), [to]: page('<p>') })
    const { url } = await sites.fetch(from)
    expect(url.pathname + url.search).toBe(to)
  })

  test.each([
    ['protocol-relative', (port: string) => `//b.test:${port}/next`, 'b.test'],
    ['with an international host', (port: string) => `http://bücher.test:${port}/next`, 'xn--bcher-kva.test'],
  ])('%s', async (_name, location, host) => {
    const locationOf = (head: string) => Buffer.from(location(portOf(head))).toString('latin1')
    await using sites = await openSites({ '/': (head) => redirect(locationOf(head)), '/next': page('<p>') })
    expect((await sites.fetch('/')).url.hostname).toBe(host)
  })

  const chainOf = (length: number): Record<string, Route> => ({
    ...Object.fromEntries(Array.from({ length }, (_, i) => [`/${i}`, redirect(`/${i + 1}`)])),
    [`/${length}`]: page('<p>'),
  })

  test('ten are followed', async () => {
    await using sites = await openSites(chainOf(10))
    expect((await sites.fetch('/0')).url.pathname).toBe('/10')
  })

  test('eleven are too many', async () => {
    await using sites = await openSites(chainOf(11))
    await expect(sites.fetch('/0')).rejects.toMatchObject({ reason: 'too many redirects' })
    expect(sites.site.connections()).toBe(11)
  })

  test('a loop is detected before the limit', async () => {
    await using sites = await openSites({ '/a': redirect('/b'), '/b': redirect('/a') })
    await expect(sites.fetch('/a')).rejects.toMatchObject({ reason: 'too many redirects' })
    expect(sites.site.connections()).toBe(2)
  })

  test.each([
    ['a loopback address', 'http://127.0.0.1:1/'],
    ['another spelling of one', 'http://0x7f.1:1/'],
    ['an IPv6 loopback address', 'http://[::1]:1/'],
    ['localhost', 'http://localhost:1/'],
    ['a metadata service', 'http://169.254.169.254/latest/meta-data/'],
    ['a metadata name', 'http://metadata.google.internal/'],
    ['a forbidden port', 'http://a.test:25/'],
  ])('to %s are refused', async (_name, location) => {
    await using sites = await openSites({ '/': redirect(location) })
    await expect(sites.fetch('/')).rejects.toMatchObject({ reason: 'address not allowed' })
  })

  test.each(['ftp://b.test/', 'file:///etc/passwd', 'javascript:0', 'http://'])(
    'to %s are invalid',
    async (location) => {
      await using sites = await openSites({ '/': redirect(location) })
      await expect(sites.fetch('/')).rejects.toMatchObject({ reason: 'invalid redirect' })
    },
  )

  test('to a canary on a forbidden port make no connection', async () => {
    await using canary = await openRawOrigin((socket) => socket.end())
    const targets = ['127.0.0.1', '127.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'a.test']
    await using sites = await openSites(
      Object.fromEntries(targets.map((host, i) => [`/${i}`, redirect(`http://${host}:${canary.port}/`)])),
    )
    for (const i of targets.keys()) {
      await expect(sites.fetch(`/${i}`)).rejects.toMatchObject({ reason: 'address not allowed' })
    }
    expect(canary.connections()).toBe(0)
  })

  test('from https to http are followed and traced', async () => {
    const { authority, good } = await makeCertificates(['127.0.0.1'])
    await using plain = await openSite({ '/': page('<p>') })
    await using secure = await openSite({ '/': redirect(`http://127.0.0.1:${plain.port}/`) }, { tls: good })
    await using fetcher = fetcherFor(['127.0.0.1'], { authorities: [authority] })
    using budget = budgetOf()
    const { trace } = await fetcher.fetch(new URL(`https://127.0.0.1:${secure.port}/`), budget)
    expect(trace.hops.map(({ isDowngrade }) => isDowngrade)).toEqual([false, true])
  })
})

describe('cookies', () => {
  test('a site that sets one and redirects to itself receives it', async () => {
    await using sites = await openSites({
      '/': (head) => (headerOf(head, 'Cookie') === 'seen=1' ? page('<p>') : redirect('/', { 'Set-Cookie': 'seen=1' })),
    })
    const { trace } = await sites.fetch('/')
    expect(trace.hops.map(({ cookiesSet, cookiesSent }) => ({ cookiesSet, cookiesSent }))).toEqual([
      { cookiesSet: ['seen'], cookiesSent: [] },
      { cookiesSet: [], cookiesSent: ['seen'] },
    ])
  })

  const cookieAfter = async (setCookie: string, host: string): Promise<string> => {
    await using sites = await openSites({
      '/': (head) => redirect(`http://${host}:${portOf(head)}/next`, { 'Set-Cookie': setCookie }),
      '/next': page('<p>'),
    })
    await sites.fetch('/')
    return headerOf(sites.site.heads[1] ?? '', 'Cookie')
  }

  test.each([
    ['is sent to its own host', 'c=1', 'a.test', 'c=1'],
    ['is not sent to another host', 'c=1', 'www.a.test', ''],
    ['of a domain is sent to its subdomains', 'c=1; Domain=a.test', 'www.a.test', 'c=1'],
    ['is not sent to another site', 'c=1; Domain=a.test', 'b.test', ''],
    ['for another site is not stored', 'c=1; Domain=b.test', 'b.test', ''],
    ['for a top-level domain is not stored', 'c=1; Domain=test', 'b.test', ''],
    ['with Secure is not sent over http', 'c=1; Secure', 'a.test', ''],
    ['that has expired is not sent', 'c=1; Max-Age=0', 'a.test', ''],
    ['for another path is not sent', 'c=1; Path=/other', 'a.test', ''],
    ['that cannot be sent is omitted', 'c=a\x7fb', 'a.test', ''],
    ['in Latin-1 is sent unchanged', 'c=\xe9', 'a.test', 'c=\xe9'],
    ['that cannot be parsed is omitted', '\x01=;;=', 'a.test', ''],
  ])('one that %s', async (_name, setCookie, host, sent) => {
    expect(await cookieAfter(setCookie, host)).toBe(sent)
  })

  test('none outlives its request', async () => {
    await using sites = await openSites({ '/': responseBytes(200, { 'Set-Cookie': 'c=1' }) })
    await sites.fetch('/')
    await sites.fetch('/')
    expect(headerOf(sites.site.heads[1] ?? '', 'Cookie')).toBe('')
  })
})

describe('a page with a refresh', () => {
  const refreshOf: FetcherDeps['refreshOf'] = ({ bytes }) =>
    /^refresh (.*)$/.exec(new TextDecoder().decode(bytes))?.[1] ?? null

  test('is followed', async () => {
    await using sites = await openSites({ '/': page('refresh /next'), '/next': page('there') }, { refreshOf })
    const { url, trace } = await sites.fetch('/')
    expect(url.pathname).toBe('/next')
    expect(trace.hops.map(({ by }) => by)).toEqual(['caller', 'refresh'])
  })

  test('is traced as the reason of the next hop', async () => {
    await using sites = await openSites({ '/': page('refresh /next'), '/next': page('there') }, { refreshOf })
    const { trace } = await sites.fetch('/')
    expect(trace.hops[0]?.location).toEndWith('/next')
  })

  test.each([400, 404, 500])('with error status %d is not followed', async (status) => {
    const failed = responseBytes(status, { 'Content-Type': 'text/html' }, 'refresh /next')
    await using sites = await openSites({ '/': failed, '/next': page('there') }, { refreshOf })
    expect(await sites.fetch('/')).toMatchObject({ status })
    expect(sites.site.heads).toHaveLength(1)
  })

  test('to a forbidden address is refused', async () => {
    await using sites = await openSites({ '/': page('refresh http://127.0.0.1:1/') }, { refreshOf })
    await expect(sites.fetch('/')).rejects.toMatchObject({ reason: 'address not allowed' })
  })

  test('to a URL that cannot be fetched is not followed', async () => {
    await using sites = await openSites({ '/': page('refresh javascript:0') }, { refreshOf })
    expect((await sites.fetch('/')).url.pathname).toBe('/')
  })

  test('in a loop fails with too many redirects', async () => {
    await using sites = await openSites({ '/': page('refresh /b'), '/b': page('refresh /') }, { refreshOf })
    await expect(sites.fetch('/')).rejects.toMatchObject({ reason: 'too many redirects' })
  })

  test('counts as a redirect', async () => {
    const pages = Array.from({ length: 12 }, (_, i) => [`/${i}`, page(`refresh /${i + 1}`)] as const)
    await using sites = await openSites(Object.fromEntries(pages), { refreshOf })
    await expect(sites.fetch('/0')).rejects.toMatchObject({ reason: 'too many redirects' })
    expect(sites.site.connections()).toBe(11)
  })
})
