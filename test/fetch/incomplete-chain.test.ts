import { beforeAll, describe, expect, test } from 'bun:test'

import { parseAllowRule } from '../../src/core/net/egress.ts'
import { createImageFetcher } from '../../src/fetch/images.ts'
import type { NetworkOptions } from '../../src/fetch/connection/network.ts'
import { createWebhookSender } from '../../src/fetch/webhooks.ts'
import type { Identity } from '../origin/certificates.ts'
import { issueCertificate, type Authority, type CertificateOptions } from '../origin/certificate-chain.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { png } from '../origin/images.ts'
import {
  responseBytes,
  openRawOrigin,
  pathOf,
  writeForever,
  type RawOrigin,
  type Respond,
} from '../origin/raw-origin.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'
import { settingsOf } from '../settings.ts'

const HOST = 'good.test'
const UNKNOWN = 'TLS error: certificate of an unknown authority'

let root: Authority
let otherRoot: Authority
let intermediate: Authority
beforeAll(async () => {
  root = await issueCertificate({ name: 'Root', issuer: null })
  otherRoot = await issueCertificate({ name: 'Other root', issuer: null })
  intermediate = await issueCertificate({ name: 'Intermediate', issuer: root })
})

const der = (bytes: Uint8Array) => responseBytes(200, { 'Content-Type': 'application/pkix-cert' }, bytes)

interface Setup {
  /** The response of the authority's server. */
  respond: Respond
  /** The certificate of the authority's server, if it uses TLS. */
  authorityIdentity?: Identity
  /** The issuer of the server's certificate, by the URL of the authority's server; the intermediate by default. */
  issuer?: Authority | ((address: string) => Promise<Authority>)
  /** Whether the server sends its issuer's certificate, so that the next one is missing. */
  isIssuerSent?: boolean
  leaf?: Partial<CertificateOptions>
  /** The issuer's URL in the server's certificate; on the authority's server by default. */
  issuerAddress?: (authorityPort: number) => string | undefined
  /** Whether the authority's server may be reached. */
  isReachable?: boolean
  timeoutMs?: number
  times?: number
}

/** Fetches a page from a server that does not send its intermediate certificate. */
async function fetchWith(setup: Setup) {
  const { respond, leaf, isIssuerSent = false, issuerAddress, isReachable = true, authorityIdentity } = setup
  await using authority = await openRawOrigin(respond, authorityIdentity ? { tls: authorityIdentity } : {})
  const address = issuerAddress ? issuerAddress(authority.port) : `http://127.0.0.1:${authority.port}/issuer.crt`
  const { issuer: given = intermediate } = setup
  const issuer = typeof given === 'function' ? await given(`http://127.0.0.1:${authority.port}/issuer.crt`) : given
  const identity = await issueCertificate({
    name: HOST,
    issuer,
    isAuthority: false,
    hosts: [HOST],
    issuerAddress: address,
    ...leaf,
  })
  const cert = [identity, ...(isIssuerSent ? [issuer] : [])].map((one) => one.cert).join('\n')
  await using site: RawOrigin = await openRawOrigin(
    (socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/html', Connection: 'close' }, '<p>')),
    { tls: { key: identity.key, cert } },
  )
  await using dns = await openDnsServer({ [HOST]: () => ({ A: ['127.0.0.1'] }) })
  const allow = [`127.0.0.1:${site.port}`, ...(isReachable ? [`127.0.0.1:${authority.port}`] : [])]
  await using fetcher = fetcherFor(allow, { dnsServers: [dns.address], authorities: [root.cert] })
  const fetchOnce = async () => {
    using budget = budgetOf(setup.timeoutMs)
    return await fetcher.fetch(new URL(`https://${HOST}:${site.port}/`), budget)
  }
  const pages = []
  for (let i = 0; i < (setup.times ?? 1); i++) pages.push(await fetchOnce())
  return { pages, page: pages[0]!, requestedPaths: authority.heads.map(pathOf), heads: site.heads }
}

describe('a server that does not send its intermediate certificate', () => {
  test('works with the certificate at the URL in its own certificate', async () => {
    const { page, requestedPaths, heads } = await fetchWith({ respond: (socket) => socket.end(der(intermediate.der)) })
    expect(page.status).toBe(200)
    expect(page.trace.hops[0]).toMatchObject({ tls: 'TLSv1.3', issuerFrom: expect.stringContaining('/issuer.crt') })
    expect(requestedPaths).toEqual(['/issuer.crt'])
    expect(heads.length).toBe(1)
  })

  test('works if the certificate is PEM, and after a redirect', async () => {
    const respond: Respond = (socket, head) =>
      pathOf(head) === '/moved'
        ? socket.end(responseBytes(200, {}, intermediate.cert))
        : socket.end(responseBytes(301, { Location: '/moved' }))
    const { page, requestedPaths } = await fetchWith({ respond })
    expect(page.status).toBe(200)
    expect(requestedPaths).toEqual(['/issuer.crt', '/moved'])
  })

  test('works if it sends one of two intermediates', async () => {
    const issuer = (issuerAddress: string) => issueCertificate({ name: 'Second', issuer: intermediate, issuerAddress })
    const respond: Respond = (socket) => socket.end(der(intermediate.der))
    const { page, requestedPaths } = await fetchWith({
      respond,
      issuer,
      isIssuerSent: true,
      issuerAddress: () => undefined,
    })
    expect(page.status).toBe(200)
    expect(requestedPaths).toEqual(['/issuer.crt'])
  })

  test('uses the cached certificate the next time', async () => {
    const { pages, requestedPaths } = await fetchWith({
      respond: (socket) => socket.end(der(intermediate.der)),
      times: 3,
    })
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(requestedPaths).toEqual(['/issuer.crt'])
  })

  test('that sends its chain needs no request', async () => {
    const { page, requestedPaths } = await fetchWith({ respond: () => {}, isIssuerSent: true })
    expect(page.status).toBe(200)
    expect(page.trace.hops[0]).not.toHaveProperty('issuerFrom')
    expect(requestedPaths).toEqual([])
  })
})

describe('a server that sends an intermediate certificate twice', () => {
  async function fetchWithChain(chain: readonly Authority[]) {
    const leaf = await issueCertificate({ name: HOST, issuer: intermediate, isAuthority: false, hosts: [HOST] })
    const cert = [leaf, ...chain].map((one) => one.cert).join('\n')
    await using site = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, '<p>')), {
      tls: { key: leaf.key, cert },
    })
    await using dns = await openDnsServer({ [HOST]: () => ({ A: ['127.0.0.1'] }) })
    const allow = [`127.0.0.1:${site.port}`]
    await using fetcher = fetcherFor(allow, { dnsServers: [dns.address], authorities: [root.cert] })
    using budget = budgetOf()
    return await fetcher.fetch(new URL(`https://${HOST}:${site.port}/`), budget)
  }
  const outdated = (fromDays: number, toDays: number, issuer = root) =>
    issueCertificate({ name: 'Intermediate', issuer, keys: intermediate.keys, fromDays, toDays })

  test.each<[name: string, chain: () => Promise<readonly Authority[]>]>([
    ['the expired one first', async () => [await outdated(-30, -2), intermediate]],
    ['the expired one last', async () => [intermediate, await outdated(-30, -2)]],
    ['one that is not valid yet first', async () => [await outdated(2, 30), intermediate]],
    ['one of an unknown authority first', async () => [await outdated(-1, 30, otherRoot), otherRoot, intermediate]],
    ['after the certificate of another authority', async () => [otherRoot, intermediate]],
  ])('works with %s', async (_, chain) => {
    const { status, trace } = await fetchWithChain(await chain())
    expect(status).toBe(200)
    expect(trace.hops[0]).not.toHaveProperty('issuerFrom')
  })

  test.each<[name: string, chain: () => Promise<readonly Authority[]>, reason: string]>([
    ['both have expired', async () => [await outdated(-30, -2), await outdated(-40, -3)], 'certificate has expired'],
    [
      'the other is of an unknown authority',
      async () => [await outdated(-30, -2), await outdated(-1, 30, otherRoot), otherRoot],
      'certificate has expired',
    ],
  ])('fails if %s', async (_, chain, reason) => {
    await expect(fetchWithChain(await chain())).rejects.toMatchObject({ reason: `TLS error: ${reason}` })
  })
})

describe('the TLS error is returned', () => {
  const send = (make: () => Authority | Promise<Authority>): Setup => ({
    respond: (socket) => void Promise.resolve(make()).then((one) => socket.end(der(one.der))),
  })

  test.each<[name: string, setup: () => Setup | Promise<Setup>, reason?: string]>([
    [
      'for an intermediate of another root',
      async () => {
        const issuer = await issueCertificate({ name: 'Intermediate', issuer: otherRoot })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for a self-signed issuer, which is not taken for a root',
      () => ({ ...send(() => otherRoot), issuer: otherRoot }),
    ],
    [
      'for an intermediate that was not signed by the root',
      async () => {
        const issuer = await issueCertificate({ name: 'Intermediate', issuer: otherRoot, claimedIssuer: 'Root' })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for an expired intermediate',
      async () => {
        const issuer = await issueCertificate({ name: 'Old', issuer: root, fromDays: -30, toDays: -1 })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for an intermediate that is not valid yet',
      async () => {
        const issuer = await issueCertificate({ name: 'New', issuer: root, fromDays: 1 })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for the certificate of a server as the issuer',
      async () => {
        const issuer = await issueCertificate({ name: 'Leaf', issuer: root, isAuthority: false, hosts: ['leaf.test'] })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for another intermediate with the same name',
      () => send(() => issueCertificate({ name: 'Intermediate', issuer: root })),
    ],
    ['for the root', () => send(() => root)],
    [
      'for an intermediate whose own issuer is missing too',
      async () => {
        const issuer = await issueCertificate({ name: 'Second', issuer: intermediate })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for an intermediate that names itself as its issuer',
      async () => {
        const issuer = await issueCertificate({ name: 'Loop', issuer: otherRoot, claimedIssuer: 'Loop' })
        return { ...send(() => issuer), issuer }
      },
    ],
    [
      'for an expired server',
      () => ({ ...send(() => intermediate), leaf: { fromDays: -30, toDays: -1 } }),
      'TLS error: certificate has expired',
    ],
    [
      'for the certificate of another host',
      () => ({ ...send(() => intermediate), leaf: { hosts: ['other.test'] } }),
      'TLS error: certificate is for another host',
    ],
    ['without a URL of the issuer', () => ({ ...send(() => intermediate), issuerAddress: () => undefined })],
    ['for an LDAP URL', () => ({ ...send(() => intermediate), issuerAddress: () => 'ldap://127.0.0.1/cn=x' })],
    ['for a file URL', () => ({ ...send(() => intermediate), issuerAddress: () => 'file:///etc/passwd' })],
    ['at a private address', () => ({ ...send(() => intermediate), isReachable: false })],
    [
      'after a redirect to a private address',
      () => ({ respond: (socket) => socket.end(responseBytes(302, { Location: 'http://10.0.0.1/issuer.crt' })) }),
    ],
    [
      'after endless redirects',
      () => ({ respond: (socket, head) => socket.end(responseBytes(302, { Location: `${pathOf(head)}x` })) }),
    ],
    [
      'at a server whose own chain is incomplete: certificates are never fetched for certificates',
      async () => ({
        ...send(() => intermediate),
        authorityIdentity: await issueCertificate({
          name: 'aia.test',
          issuer: intermediate,
          isAuthority: false,
          hosts: ['aia.test'],
          issuerAddress: 'http://127.0.0.1:1/',
        }),
        issuerAddress: (port) => `https://127.0.0.1:${port}/`,
      }),
    ],
    ['for 404', () => ({ respond: (socket) => socket.end(responseBytes(404, {}, intermediate.der)) })],
    ['for an empty response', () => ({ respond: (socket) => socket.end(responseBytes(200, {})) })],
    ['for garbage', () => ({ respond: (socket) => socket.end(responseBytes(200, {}, Buffer.alloc(2_000, 0x30))) })],
    ['for a page', () => ({ respond: (socket) => socket.end(responseBytes(200, {}, '<title>Not found</title>')) })],
    [
      'for a certificate followed by 64 KB',
      () => ({
        respond: (socket) =>
          socket.end(responseBytes(200, {}, Buffer.concat([intermediate.der, Buffer.alloc(65_536)]))),
      }),
    ],
    [
      'for an endless response',
      () => ({
        respond: (socket) => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n')
          writeForever(socket, Buffer.alloc(10_000))
        },
      }),
    ],
    ['for a reset', () => ({ respond: (socket) => socket.resetAndDestroy() })],
  ])('%s', async (_, setup, reason = UNKNOWN) => {
    await expect(fetchWith(await setup())).rejects.toMatchObject({ failure: 'tls_error', reason })
  })

  test('at the deadline, if the authority never responds', async () => {
    await expect(fetchWith({ respond: () => {}, timeoutMs: 500 })).rejects.toMatchObject({ failure: 'timeout' })
  })
})

test('nothing is sent over a connection that is not verified', async () => {
  await using site = await openRawOrigin(
    (socket) => socket.end(responseBytes(200, {}, '<p>')),
    await issueCertificate({ name: HOST, issuer: intermediate, isAuthority: false, hosts: [HOST] }).then((tls) => ({
      tls,
    })),
  )
  await using dns = await openDnsServer({ [HOST]: () => ({ A: ['127.0.0.1'] }) })
  await using fetcher = fetcherFor(['127.0.0.1'], { dnsServers: [dns.address], authorities: [root.cert] })
  using budget = budgetOf()
  await expect(fetcher.fetch(new URL(`https://${HOST}:${site.port}/`), budget)).rejects.toMatchObject({
    reason: UNKNOWN,
  })
  expect(site.heads).toEqual([])
})

describe('chains are completed for', () => {
  /** A server of images and webhooks that does not send its intermediate certificate. */
  async function openServer() {
    await using stack = new AsyncDisposableStack()
    const authority = stack.use(await openRawOrigin((socket) => socket.end(der(intermediate.der))))
    const tls = await issueCertificate({
      name: HOST,
      issuer: intermediate,
      isAuthority: false,
      hosts: [HOST],
      issuerAddress: `http://127.0.0.1:${authority.port}/issuer.crt`,
    })
    const site = stack.use(await openRawOrigin((socket) => socket.end(responseBytes(200, {}, png(3, 2))), { tls }))
    const dns = stack.use(await openDnsServer({ [HOST]: () => ({ A: ['127.0.0.1'] }) }))
    const options: NetworkOptions = {
      settings: settingsOf({ allow: [parseAllowRule('127.0.0.1')!] }),
      dnsServers: [dns.address],
      egressProxy: null,
      userAgent: 'urlmeta-test',
      ownPorts: () => [],
      authorities: [root.cert],
    }
    const owned = stack.move()
    const url = new URL(`https://${HOST}:${site.port}/`)
    return { url, options, heads: site.heads, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  test('preview images', async () => {
    await using server = await openServer()
    using images = createImageFetcher(server.options)
    const { facts } = await images.fetch(server.url, new AbortController().signal, { userId: 'jo', publicOnly: false })
    expect(facts).toMatchObject({ problem: '', mimeType: 'image/png', size: { width: 3, height: 2 } })
  })

  test('webhooks', async () => {
    await using server = await openServer()
    using sender = createWebhookSender(server.options)
    await sender.send(server.url, {}, '{}')
    expect(server.heads).toHaveLength(1)
  })
})
