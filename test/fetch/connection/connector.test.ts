import { beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'

import { parseEgressProxy, parseProxyException } from '../../../src/core/net/egress-proxy.ts'
import type { FetchTrace } from '../../../src/core/fetch/trace.ts'
import { makeCertificates, type Certificates } from '../../origin/certificates.ts'
import { openDnsServer } from '../../origin/dns-server.ts'
import { openTestProxy, type TestProxyOptions } from '../../origin/egress-proxy.ts'
import { responseBytes, drip, openRawOrigin, writeForever } from '../../origin/raw-origin.ts'
import { budgetOf, GENEROUS_MS } from '../budget.ts'
import { fetcherFor } from '../fetcher-for.ts'
import { until } from '../processes.ts'

let certificates: Certificates
beforeAll(async () => {
  certificates = await makeCertificates(['good.test', 'proxy.test'])
})

const OPEN = '127.0.0.1'
const FORBIDDEN = '127.0.0.2'
const LOGIN = 'user:p@ss'
const PAGE = responseBytes(200, { 'Content-Type': 'text/html' }, '<p>')

type Kind = 'http' | 'https' | 'socks5'

interface LabOptions extends Omit<Partial<TestProxyOptions>, 'kind'> {
  kind: Kind
  /** The credentials that the fetcher sends, URL-encoded, with the `@`. */
  login?: string
  exceptions?: readonly string[]
  originTls?: boolean
  respond?: (socket: Socket) => void
  proxyHost?: string
}

/** A site, a canary that must not be reached, a proxy and a fetcher that goes through it. */
async function openHarness({ kind, login = '', exceptions = [], originTls = false, ...options }: LabOptions) {
  await using stack = new AsyncDisposableStack()
  const tls = originTls ? { tls: certificates.good } : {}
  const origin = stack.use(await openRawOrigin(options.respond ?? ((socket) => socket.end(PAGE)), tls))
  const canary = stack.use(await openRawOrigin((socket) => socket.end(PAGE), { host: FORBIDDEN, port: origin.port }))
  const proxy = stack.use(
    await openTestProxy({
      ...(kind === 'https' && { tls: certificates.good }),
      ...options,
      kind: kind === 'socks5' ? 'socks5' : 'http',
    }),
  )
  const dns = stack.use(
    await openDnsServer({
      'good.test': () => ({ A: [OPEN] }),
      'other.test': () => ({ A: [OPEN] }),
      'proxy.test': () => ({ A: ['127.0.0.1'], ttl: 60 }),
      'bad.test': () => ({ A: [FORBIDDEN] }),
      'six.test': () => ({ AAAA: ['::1'], A: [OPEN] }),
    }),
  )
  const { proxyHost = 'proxy.test' } = options
  const fetcher = stack.use(
    fetcherFor([`${OPEN}:${origin.port}`, `[::1]:${origin.port}`], {
      dnsServers: [dns.address],
      authorities: [certificates.authority],
      egressProxy: {
        proxy: parseEgressProxy(`${kind}://${login}${proxyHost}:${proxy.port}`)!,
        exceptions: exceptions.map((text) => parseProxyException(text)!),
      },
    }),
  )
  const owned = stack.move()
  const scheme = originTls ? 'https' : 'http'
  return {
    origin,
    canary,
    proxy,
    /** Closes connections that the fetcher keeps open. */
    close: () => fetcher[Symbol.asyncDispose](),
    async fetch(host = 'good.test', timeoutMs = GENEROUS_MS, trace: FetchTrace = { hops: [] }) {
      using budget = budgetOf(timeoutMs)
      return await fetcher.fetch(new URL(`${scheme}://${host}:${origin.port}/`), budget, trace)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const KINDS: [Kind][] = [['http'], ['https'], ['socks5']]

describe.each(KINDS)('through a proxy by %s', (kind) => {
  test.each([false, true])('a site is requested by its address; TLS to the site: %p', async (originTls) => {
    await using harness = await openHarness({ kind, originTls, credentials: LOGIN, login: 'user:p%40ss@' })
    expect((await harness.fetch()).status).toBe(200)
    expect(harness.proxy.destinations).toEqual([`${OPEN}:${harness.origin.port}`])
    expect(harness.origin.heads[0]).toContain(`Host: good.test:${harness.origin.port}\r\n`)
    expect(harness.origin.heads[0]!.toLowerCase()).not.toContain('proxy-')
  })

  test('the certificate of the site is checked against its name', async () => {
    await using harness = await openHarness({ kind, originTls: true })
    await expect(harness.fetch('other.test')).rejects.toMatchObject({
      reason: 'TLS error: certificate is for another host',
    })
  })

  test('a forbidden address is not requested', async () => {
    await using harness = await openHarness({ kind })
    for (const host of ['bad.test', FORBIDDEN, '10.0.0.1', '[::ffff:127.0.0.2]']) {
      await expect(harness.fetch(host)).rejects.toMatchObject({ failure: 'address_not_allowed' })
    }
    expect([harness.proxy.connections(), harness.canary.connections()]).toEqual([0, 0])
  })

  test('the next address is requested when the first cannot be reached', async () => {
    await using harness = await openHarness({ kind, addressOf: (host) => (host.includes(':') ? '127.0.0.3' : host) })
    const { trace } = await harness.fetch('six.test')
    expect(harness.proxy.destinations).toHaveLength(2)
    expect(trace.hops[0]?.attempts.map(({ error }) => error)).toEqual([expect.stringContaining('egress proxy: '), null])
  })

  test('a connection is kept for the next request, and closed with the fetcher', async () => {
    await using harness = await openHarness({ kind, originTls: true, respond: serveTwice })
    await harness.fetch()
    const { trace } = await harness.fetch()
    expect(trace.hops[0]?.keptConnectionTo).toBe(OPEN)
    expect([harness.proxy.connections(), harness.proxy.open()]).toEqual([1, 1])
    await harness.close()
    await until(() => harness.proxy.open() === 0)
  })

  test('exceptions bypass it', async () => {
    await using harness = await openHarness({ kind, exceptions: ['other.test'] })
    expect((await harness.fetch('other.test')).status).toBe(200)
    expect(harness.proxy.connections()).toBe(0)
  })

  test('wrong credentials are a refused connection; the log has the reason but no credentials', async () => {
    await using harness = await openHarness({ kind, credentials: LOGIN, login: 'user:wr0ng@' })
    const error = await harness.fetch().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ failure: 'egress_proxy', reason: 'connection refused' })
    expect(error).toHaveProperty(
      'detail',
      kind === 'socks5' ? expect.stringMatching(/^egress proxy: .*[Aa]uth/) : 'egress proxy: 407',
    )
    expect(Bun.inspect(error, { depth: 10 })).not.toContain('wr0ng')
  })

  test.each<[name: string, act: (socket: Socket) => void, reason: string]>([
    ['closes immediately', (socket) => socket.end(), 'connection refused'],
    ['resets', (socket) => socket.resetAndDestroy(), 'connection refused'],
    ['speaks SSH', (socket) => socket.write('SSH-2.0-OpenSSH_9\r\n\r\n'), 'connection refused'],
    ['sends endless random data', (socket) => writeForever(socket, Buffer.alloc(65_536, 0xff)), 'connection refused'],
    ['does not respond', () => {}, 'timed out'],
  ])('one that %s', async (_, onConnect, reason) => {
    await using harness = await openHarness({ kind, onConnect })
    await expect(harness.fetch('good.test', reason === 'timed out' ? 500 : GENEROUS_MS)).rejects.toMatchObject({
      reason,
    })
    await until(() => harness.proxy.open() === 0)
  })

  test('one that is not running', async () => {
    await using harness = await openHarness({ kind, proxyHost: '127.0.0.9' })
    await expect(harness.fetch()).rejects.toMatchObject({
      reason: 'connection refused',
      detail: 'egress proxy: ECONNREFUSED',
    })
  })

  test('one whose name does not exist', async () => {
    await using harness = await openHarness({ kind, proxyHost: 'none.test' })
    await expect(harness.fetch()).rejects.toMatchObject({ reason: 'connection refused' })
  })
})

/** Responds to two requests on one connection, which stays open. */
function serveTwice(socket: Socket): void {
  socket.write(PAGE)
  socket.on('data', () => socket.write(PAGE))
}

describe('an HTTP proxy that responds to CONNECT', () => {
  const head = (text: string) => (socket: Socket) => void socket.write(text)
  test.each<[name: string, reply: (socket: Socket) => void, detail: string]>([
    ['with 403', head('HTTP/1.1 403 Forbidden\r\n\r\n'), '403'],
    ['with 300', head('HTTP/1.1 300 Choices\r\n\r\n'), '300'],
    ['with 302', head('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2/\r\n\r\n'), '302'],
    ['with 101', head('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'), '101'],
    [
      'with an endless body of 403',
      (socket) => writeForever(socket, `HTTP/1.1 403 F\r\n\r\n${'x'.repeat(9_000)}`),
      '403',
    ],
    ['with data after the head', head('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<p>forged'), 'unexpected data'],
    ['with a long head', head(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`), 'HPE_HEADER_OVERFLOW'],
    ['with an incomplete head', (socket) => socket.end('HTTP/1.1 200 O'), 'ECONNRESET'],
  ])('%s', async (_, reply, detail) => {
    await using harness = await openHarness({ kind: 'http', reply })
    await expect(harness.fetch()).rejects.toHaveProperty('detail', `egress proxy: ${detail}`)
    expect(harness.canary.connections()).toBe(0)
    await until(() => harness.proxy.open() === 0)
  })

  test.each([200, 299])('with %d opens a tunnel', async (status) => {
    const reply = (socket: Socket) => {
      socket.write(`HTTP/1.1 ${status} Opened\r\n\r\n`)
      socket.once('data', () => socket.end(PAGE))
    }
    await using harness = await openHarness({ kind: 'http', reply })
    expect((await harness.fetch()).status).toBe(200)
  })

  test.each<[name: string, reply: (socket: Socket) => void]>([
    ['byte by byte', (socket) => drip(socket, 'H')],
    ['with endless interim responses', (socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
  ])('%s is given up at the deadline', async (_, reply) => {
    await using harness = await openHarness({ kind: 'http', reply })
    await expect(harness.fetch('good.test', 500)).rejects.toBeInstanceOf(Error)
    await until(() => harness.proxy.open() === 0)
  })
})

test('the certificate of an https proxy is checked', async () => {
  await using harness = await openHarness({ kind: 'https', tls: certificates.expired })
  await expect(harness.fetch()).rejects.toMatchObject({
    reason: 'connection refused',
    detail: 'egress proxy: CERT_HAS_EXPIRED',
  })
})
