import { describe, expect, test } from 'bun:test'

import { parseEgressProxy } from '../../src/core/net/egress-proxy.ts'
import type { Budget, Fetcher } from '../../src/core/fetch/ports.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import { type Hop, startHop } from '../../src/core/fetch/trace.ts'
import { createFileFetcher } from '../../src/fetch/files.ts'
import { createImageFetcher } from '../../src/fetch/images.ts'
import type { NetworkOptions } from '../../src/fetch/connection/network.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'
import { responseBytes, openRawOrigin, pathOf } from '../origin/raw-origin.ts'
import { headerOf, openSite, page, redirect, type Route } from '../origin/site.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'
import { networkOptionsFor } from './network-options.ts'

const SECRETS: SiteRule = {
  hosts: ['in.test'],
  headers: { Authorization: 'Bearer s3cret' },
  cookies: { session: 's3cret' },
  insecure: true,
}

/** Fetches `http://in.test<path>` from a site with several host names, and returns the request heads. */
async function headsOf(
  rules: readonly SiteRule[],
  routes: Record<string, Route>,
  path = '/',
  isDefaultUserAgent = false,
) {
  await using site = await openSite(routes)
  await using dns = await openDnsServer({
    'in.test': () => ({ A: ['127.0.0.1'] }),
    'www.in.test': () => ({ A: ['127.0.0.1'] }),
    'out.test': () => ({ A: ['127.0.0.1'] }),
  })
  await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], {
    dnsServers: [dns.address],
    sites: rules,
    isDefaultUserAgent,
  })
  using budget = budgetOf()
  const fetched = await fetcher.fetch(new URL(`http://in.test:${site.port}${path}`), budget)
  return { heads: site.heads, fetched, port: site.port }
}

/** A redirect from one of the site's names to another. */
const toHost = (host: string, path: string) => (head: string) =>
  redirect(`http://${host}:${/:(\d+)\r$/m.exec(head)?.[1]}${path}`)

const secretsOf = (head: string) => [headerOf(head, 'Authorization'), headerOf(head, 'Cookie')]
const SENT = ['Bearer s3cret', 'session=s3cret']
const NOT_SENT = ['', '']

describe('headers and cookies of a rule', () => {
  test('are not sent over plain HTTP, unless the rule allows it', async () => {
    const rules = [
      { ...SECRETS, insecure: false },
      { hosts: ['*.in.test'], cookies: { a: '1' }, insecure: true },
    ]
    const { heads } = await headsOf(rules, {
      '/': toHost('www.in.test', '/there'),
      '/there': page('<p>'),
    })
    expect(heads.map(secretsOf)).toEqual([NOT_SENT, ['', 'a=1']])
  })

  test('are sent over https after a redirect from plain HTTP', async () => {
    const certificates = await makeCertificates(['in.test'])
    await using secure = await openRawOrigin((socket) => socket.end(responseBytes(200, {})), { tls: certificates.good })
    await using plain = await openSite({ '/': redirect(`https://in.test:${secure.port}/`) })
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    await using fetcher = fetcherFor([`127.0.0.1:${secure.port}`, `127.0.0.1:${plain.port}`], {
      dnsServers: [dns.address],
      authorities: [certificates.authority],
      sites: [{ ...SECRETS, insecure: false }],
    })
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://in.test:${plain.port}/`), budget)
    expect([...plain.heads, ...secure.heads].map(secretsOf)).toEqual([NOT_SENT, SENT])
  })

  test('are sent to its host', async () => {
    const { heads } = await headsOf([SECRETS], { '/': page('<p>') })
    expect(heads.map(secretsOf)).toEqual([SENT])
  })

  test.each(['out.test', 'www.in.test'])(
    'are not sent to %s after a redirect, and are sent again after the next',
    async (host) => {
      const { heads } = await headsOf([SECRETS], {
        '/': toHost(host, '/there'),
        '/there': toHost('in.test', '/back'),
        '/back': page('<p>'),
      })
      expect(heads.map(secretsOf)).toEqual([SENT, NOT_SENT, SENT])
    },
  )

  test('are not in the trace, except for the names of cookies', async () => {
    const { fetched } = await headsOf([SECRETS], { '/': page('<p>') })
    expect(JSON.stringify(fetched.trace)).not.toContain('s3cret')
    expect(fetched.trace.hops[0]?.cookiesSent).toEqual(['session'])
  })

  test('a cookie that the site sets replaces the one of the rule', async () => {
    const { heads } = await headsOf([SECRETS], {
      '/': redirect('/next', { 'Set-Cookie': 'session=new' }),
      '/next': page('<p>'),
    })
    expect(heads.map((head) => headerOf(head, 'Cookie'))).toEqual(['session=s3cret', 'session=new'])
  })

  test('are not sent over plain HTTP after an encrypted hop', async () => {
    const certificates = await makeCertificates(['in.test'])
    await using plain = await openSite({ '/': page('<p>') })
    await using secure = await openRawOrigin(
      (socket) => socket.end(responseBytes(302, { Location: `http://in.test:${plain.port}/` })),
      { tls: certificates.good },
    )
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    await using fetcher = fetcherFor([`127.0.0.1:${secure.port}`, `127.0.0.1:${plain.port}`], {
      dnsServers: [dns.address],
      authorities: [certificates.authority],
      sites: [SECRETS],
    })
    using budget = budgetOf()
    await fetcher.fetch(new URL(`https://in.test:${secure.port}/`), budget)
    expect(secure.heads.map(secretsOf)).toEqual([SENT])
    expect(plain.heads.map(secretsOf)).toEqual([NOT_SENT])
  })

  test.each<[name: string, request: (fetcher: Fetcher, url: URL, budget: Budget, after: Hop[]) => Promise<unknown>]>([
    ['to an oEmbed endpoint', (fetcher, url, budget, after) => fetcher.oembed(url, budget, [], after)],
    ['for a favicon', (fetcher, url, budget, after) => fetcher.hasIcon(url, budget, after)],
  ])('are not sent over plain HTTP %s of an encrypted page', async (_, request) => {
    await using plain = await openSite({})
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    await using fetcher = fetcherFor([`127.0.0.1:${plain.port}`], { dnsServers: [dns.address], sites: [SECRETS] })
    using budget = budgetOf()
    const encrypted = startHop(new URL('https://in.test/'), 'caller')
    await request(fetcher, new URL(`http://in.test:${plain.port}/x`), budget, [encrypted])
    expect(plain.heads.map(secretsOf)).toEqual([NOT_SENT])
  })

  const { signal } = new AbortController()
  const caller = { userId: 'jo', publicOnly: false }
  test.each<[name: string, request: (options: NetworkOptions, url: URL) => Promise<unknown>]>([
    ['an image', async (options, url) => void (await createImageFetcher(options).fetch(url, signal, caller))],
    [
      'a file, such as robots.txt',
      (options, url) => createFileFetcher(options).fetch(url, { accept: '*/*', maxBytes: 1, caller }, signal),
    ],
  ])('are not sent over plain HTTP for %s, whose page may be encrypted', async (_, request) => {
    await using plain = await openSite({})
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    const options = { ...networkOptionsFor([`127.0.0.1:${plain.port}`], [SECRETS]), dnsServers: [dns.address] }
    await request(options, new URL(`http://in.test:${plain.port}/x`))
    expect(plain.heads.map(secretsOf)).toEqual([NOT_SENT])
  })

  test.each([
    ['__Host-session', ''],
    ['__Secure-session', ''],
    ['session', 'session=s3cret'],
  ])('the cookie %s over plain HTTP', async (name, sent) => {
    const { heads } = await headsOf([{ hosts: ['in.test'], cookies: { [name]: 's3cret' }, insecure: true }], {
      '/': page('<p>'),
    })
    expect(heads.map((head) => headerOf(head, 'Cookie'))).toEqual([sent])
  })

  test('are sent when checking for a favicon', async () => {
    await using site = await openSite({})
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { dnsServers: [dns.address], sites: [SECRETS] })
    using budget = budgetOf()
    await fetcher.hasIcon(new URL(`http://in.test:${site.port}/favicon.ico`), budget)
    expect(site.heads.map(secretsOf)).toEqual([SENT])
  })
})

describe('the User-Agent of a rule', () => {
  const OWN: SiteRule = { hosts: ['in.test'], userAgent: 'Own/1.0' }

  test('is only sent to its hosts', async () => {
    const { heads } = await headsOf([OWN], { '/': toHost('out.test', '/there'), '/there': page('<p>') })
    expect(heads.map((head) => headerOf(head, 'User-Agent'))).toEqual(['Own/1.0', 'urlmeta-test'])
  })

  test('is not replaced by the User-Agent of a browser after a 403', async () => {
    const { heads } = await headsOf([OWN], { '/': responseBytes(403, {}) }, '/', true)
    expect(heads.map((head) => headerOf(head, 'User-Agent'))).toEqual(['Own/1.0'])
  })

  test.each([
    [true, 'Mozilla/5.0 (compatible; urlmeta link preview)'],
    [false, 'urlmeta-test'],
  ])('of a built-in rule is sent if the general one is the default: %p', async (isDefaultUserAgent, expected) => {
    await using site = await openSite({ '/': page('<p>') })
    await using dns = await openDnsServer({ 't.co': () => ({ A: ['127.0.0.1'] }) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { dnsServers: [dns.address], isDefaultUserAgent })
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://t.co:${site.port}/`), budget)
    expect(site.heads.map((head) => headerOf(head, 'User-Agent'))).toEqual([expected])
  })

  test('of a browser is sent without a rule', async () => {
    const { heads } = await headsOf([], { '/': responseBytes(403, {}) }, '/', true)
    expect(heads.map((head) => /Chrome\//.test(headerOf(head, 'User-Agent')))).toEqual([false, true])
  })
})

describe('the proxy of a rule', () => {
  test.each<[name: string, rule: Partial<SiteRule>, hasGeneralProxy: boolean, expected: 'own' | 'general' | 'none']>([
    ['is used for its host', { hosts: ['in.test'] }, false, 'own'],
    ['is used instead of the general one', { hosts: ['in.test'] }, true, 'own'],
    ['is not used for others', { hosts: ['out.test'] }, false, 'none'],
    ['does not change the proxy of others', { hosts: ['out.test'] }, true, 'general'],
    ['direct uses no proxy', { hosts: ['in.test'], egressProxy: 'direct' }, true, 'none'],
  ])('%s', async (_, rule, hasGeneralProxy, expected) => {
    await using site = await openSite({ '/': page('<p>') })
    await using own = await openTestProxy({ kind: 'http' })
    await using general = await openTestProxy({ kind: 'http' })
    await using dns = await openDnsServer({ 'in.test': () => ({ A: ['127.0.0.1'] }) })
    const proxyOf = ({ port }: { port: number }) => parseEgressProxy(`http://127.0.0.1:${port}`)!
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], {
      dnsServers: [dns.address],
      egressProxy: hasGeneralProxy ? { proxy: proxyOf(general), exceptions: [] } : null,
      sites: [{ hosts: [], egressProxy: proxyOf(own), ...rule }],
    })
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://in.test:${site.port}/`), budget)
    const destinations = [`127.0.0.1:${site.port}`]
    expect([own.destinations, general.destinations]).toEqual([
      expected === 'own' ? destinations : [],
      expected === 'general' ? destinations : [],
    ])
    expect(site.heads.map(pathOf)).toEqual(['/'])
  })
})
