import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

import type { PageScan } from '../../../src/core/extract/extract.ts'
import { createConnections } from '../../../src/fetch/connection/connections.ts'
import { makeCertificates, type Certificates } from '../../origin/certificates.ts'
import { openDnsServer } from '../../origin/dns-server.ts'
import { responseBytes } from '../../origin/raw-origin.ts'
import { budgetOf } from '../budget.ts'
import { fetcherFor } from '../fetcher-for.ts'
import { PATIENT_TEST_MS } from '../../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const PAGE = responseBytes(200, { 'Content-Type': 'text/html' }, '<title>T</title>')

/**
 * Responds to one request; `count` is the number of requests on this connection, including this one. A promise resolves when
 * everything is sent.
 */
type Reply = (socket: Socket, count: number) => void | Promise<void>

/** Sends data after the client had time to handle what was sent before. */
const sendLater = (socket: Socket, data: string | Buffer) =>
  new Promise<void>((resolve) => setTimeout(() => socket.write(data, () => resolve()), 5))

const replyPage: Reply = (socket) => void socket.write(PAGE)

/** A server that responds to consecutive requests on each connection. */
async function openServer(reply: Reply, tls?: TlsOptions) {
  const open = new Set<Socket>()
  /** The number of requests on each connection. */
  const requests: number[] = []
  const resumed: boolean[] = []
  const replies: (void | Promise<void>)[] = []
  const serve = (socket: Socket) => {
    const connection = requests.push(0) - 1
    if (socket instanceof TLSSocket) resumed.push(socket.isSessionReused())
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (!head.endsWith('\r\n\r\n')) return
      head = ''
      replies.push(reply(socket, ++requests[connection]!))
    })
  }
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    resumed,
    replies,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Waits for other turns of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5)
}

/**
 * After the server has sent its response or closed the connection, its client, which is in the same event loop, needs a few
 * turns to read it.
 */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Bun.sleep(2)
}

/** Fetches the same page twice and returns the number of requests on each connection. */
async function fetchTwice(reply: Reply, startScan?: (url: URL) => PageScan) {
  await using server = await openServer(reply)
  await using fetcher = fetcherFor([`127.0.0.1:${server.port}`], startScan && { startScan })
  using budget = budgetOf()
  const url = new URL(`http://127.0.0.1:${server.port}/`)
  const first = await fetcher.fetch(url, budget)
  await Promise.all(server.replies)
  // Gives the server time to close the connection, and the client to notice.
  await turns()
  const second = await fetcher.fetch(url, budget)
  return { requests: server.requests, first, second }
}

describe('a connection', () => {
  test('is kept when the response was read to its end', async () => {
    const { requests, first, second } = await fetchTwice(replyPage)
    expect(requests).toEqual([2])
    expect(first.trace.hops[0]).toMatchObject({ attempts: [{ address: '127.0.0.1', error: null }] })
    expect(first.trace.hops[0]).not.toHaveProperty('keptConnectionTo')
    expect(second.trace.hops[0]).toMatchObject({ attempts: [], keptConnectionTo: '127.0.0.1', status: 200 })
    expect(second.trace.hops[0]!.wireBytes).toBe(first.trace.hops[0]!.wireBytes!)
    expect(second.trace.hops[0]!.addresses).toEqual(first.trace.hops[0]!.addresses)
  })

  test.each([
    ['a head', `${OK}Content-Length: 50000\r\n\r\n<head></head>${' '.repeat(49_987)}`],
    [
      'a head, in chunks',
      `${OK}Transfer-Encoding: chunked\r\n\r\nd\r\n<head></head>\r\n4e20\r\n${' '.repeat(20_000)}\r\n0\r\n\r\n`,
    ],
    ['the start of a file', `${OK}Content-Length: 50000\r\n\r\n%PDF-1.7${' '.repeat(49_992)}`],
  ])('is kept when little is left after %s', async (_, answer) => {
    const { requests } = await fetchTwice((socket, count) => void socket.write(count === 1 ? answer : PAGE))
    expect(requests.length).toBe(1)
  })

  const HEAD = '<head></head>'
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const withLength = (rest: string) => [`Content-Length: ${HEAD.length + rest.length}\r\n\r\n${HEAD}`, rest] as const
  const inChunks = (rest: string) =>
    [`Transfer-Encoding: chunked\r\n\r\n${chunk(HEAD)}`, `${chunk(rest)}${chunk('')}`] as const
  test.each<[bytes: number, name: string, responseOf: typeof withLength | typeof inChunks, requests: number[]]>([
    [131_072, 'with a length, it is kept', withLength, [2]],
    [131_073, 'with a length, it is closed', withLength, [1, 1]],
    [131_072, 'in chunks, it is kept', inChunks, [2]],
    [131_073, 'in chunks, it is closed', inChunks, [1, 1]],
  ])('when %d bytes are left after the head, %s', async (bytes, _, responseOf, requests) => {
    const [start, rest] = responseOf(' '.repeat(bytes))
    await using server = await openServer((socket, count) => void socket.write(count === 1 ? OK + start : PAGE))
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    const url = new URL(`http://127.0.0.1:${server.port}/`)
    await fetcher.fetch(url, budget)
    const [socket] = server.open
    await sendLater(socket!, rest)
    await turns()
    await fetcher.fetch(url, budget)
    expect(server.requests).toEqual(requests)
  })

  test('of a user is closed while the rests of 8 other responses of the user are read', async () => {
    const start = `${OK}Content-Length: 50000\r\n\r\n<head></head>`
    await using server = await openServer((socket) => void socket.write(start))
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    const url = new URL(`http://127.0.0.1:${server.port}/`)
    using budget = budgetOf()
    const fetchAs = (userId: string) => fetcher.fetch(url, { ...budget, userId })
    await Promise.all(Array.from({ length: 12 }, () => fetchAs('u1')))
    await until(() => server.open.size === 8)
    await fetchAs('u2')
    expect(server.open.size).toBe(9)
    expect(server.requests).toHaveLength(13)
  })

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'is kept after a page in %s that was not read to its end',
    async (encoding) => {
      const html = Buffer.from(`<head></head>${Array.from({ length: 5_000 }, (_, i) => i * i).join()}`)
      const encoded = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }[
        encoding
      ]!(html)
      const answer = responseBytes(200, { 'Content-Type': 'text/html', 'Content-Encoding': encoding }, encoded)
      const { requests, first } = await fetchTwice((socket, count) => {
        if (count > 1) return void socket.write(PAGE)
        socket.write(answer.subarray(0, -50))
        return sendLater(socket, answer.subarray(-50))
      })
      expect(requests).toEqual([2])
      expect(first.trace.hops[0]!.stopped).toBe('rest not needed')
    },
  )

  test('is closed when the rest is endless or too slow', async () => {
    await using server = await openServer((socket) => {
      socket.write(`${OK}Content-Length: 50000\r\n\r\n<head></head>`)
    })
    await using endless = await openServer((socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\nd\r\n<head></head>\r\n`)
      const timer = setInterval(() => socket.write(`4e20\r\n${' '.repeat(20_000)}\r\n`), 1)
      socket.on('close', () => clearInterval(timer))
    })
    await using fetcher = fetcherFor(['127.0.0.1'])
    using budget = budgetOf()
    for (const { port } of [server, endless]) {
      const { trace } = await fetcher.fetch(new URL(`http://127.0.0.1:${port}/`), budget)
      expect(trace.hops[0]!.stopped).toBe('rest not needed')
    }
    await until(() => server.open.size + endless.open.size === 0)
  })

  test('is kept after a redirect, whose body is not read', async () => {
    let replies = 0
    const redirect = responseBytes(302, { Location: '/next' }, 'moved')
    await using server = await openServer((socket) => {
      if (replies++ > 0) return sendLater(socket, PAGE)
      socket.write(redirect.subarray(0, -1))
      return sendLater(socket, redirect.subarray(-1))
    })
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    const url = new URL(`http://127.0.0.1:${server.port}/`)
    await fetcher.fetch(url, budget)
    await turns()
    // The second request did not wait until the body of the first response was discarded.
    await Promise.all([fetcher.fetch(url, budget), fetcher.fetch(url, budget)])
    expect(server.requests).toEqual([2, 2])
  })

  test('is kept after a chunked response', async () => {
    const reply: Reply = (socket) => void socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n`)
    expect((await fetchTwice(reply)).requests).toEqual([2])
  })

  test.each<[string, string, ((url: URL) => PageScan)?]>([
    ['with a long rest after the head', `${OK}Content-Length: 1000000\r\n\r\n<head></head>${' '.repeat(999_987)}`],
    ['with Connection: close', `${OK}Connection: close\r\nContent-Length: 3\r\n\r\n<p>`],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>'],
    ['of HTTP/1.0 with keep-alive', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n<p>'],
    [
      'with both length and chunks',
      `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n`,
    ],
    ['with bytes after the response', `${OK}Content-Length: 3\r\n\r\n<p>${PAGE.toString()}`],
  ])('is not kept: %s', async (_, answer) => {
    const { requests, second } = await fetchTwice((socket) => void socket.write(answer))
    expect(requests).toEqual([1, 1])
    expect(second.status).toBe(200)
  })

  test('is not kept when the server sends data while it is idle', async () => {
    const reply: Reply = (socket) => {
      socket.write(PAGE)
      return sendLater(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    }
    const { requests, second } = await fetchTwice(reply)
    expect(requests).toEqual([1, 1])
    expect(second.kind).toBe('html')
  })

  test('is not kept when the server closes it', async () => {
    expect((await fetchTwice((socket) => void socket.end(PAGE))).requests).toEqual([1, 1])
  })

  test('that the server closes at the next request is replaced once', async () => {
    const reply: Reply = (socket, count) => void (count === 1 ? socket.write(PAGE) : socket.destroy())
    const { requests, second } = await fetchTwice(reply)
    expect(requests).toEqual([2, 1])
    expect(second.trace.hops[0]).toMatchObject({ status: 200, attempts: [{ error: null }] })
    expect(second.trace.hops[0]).not.toHaveProperty('keptConnectionTo')
  })

  test('on which the next request gets 408 is replaced', async () => {
    const timeout = responseBytes(408, { Connection: 'close' })
    const { requests, second } = await fetchTwice((socket, count) => void socket.write(count === 1 ? PAGE : timeout))
    expect(requests).toEqual([2, 1])
    expect(second.status).toBe(200)
  })

  test('is closed immediately if its response has no end', async () => {
    let replies = 0
    await using server = await openServer((socket) => {
      socket.write(replies++ === 0 ? 'HTTP/1.1 302 x\r\nLocation: /next\r\n\r\nmoved' : PAGE)
    })
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://127.0.0.1:${server.port}/`), budget)
    await until(() => server.open.size === 1)
    expect(server.requests).toEqual([1, 1])
  })

  test('that closes during the next response is not replaced', async () => {
    const reply: Reply = (socket, count) => void (count === 1 ? socket.write(PAGE) : socket.end('HTTP/1.1 2'))
    await expect(fetchTwice(reply)).rejects.toMatchObject({ failure: 'connection_reset' })
  })

  test('is reused for the favicon', async () => {
    await using server = await openServer((socket, count) => {
      const icon = responseBytes(200, { 'Content-Type': 'image/png' }, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
      socket.write(count === 1 ? PAGE : icon)
    })
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    const url = new URL(`http://127.0.0.1:${server.port}/`)
    await fetcher.fetch(url, budget)
    expect(await fetcher.hasIcon(new URL('/favicon.ico', url), budget)).toBe(true)
    expect(server.requests).toEqual([2])
  })

  test('only a few of many idle ones are kept, and none when the fetcher is closed', async () => {
    let requestCount = 0
    const waiting: Socket[] = []
    await using server = await openServer((socket) => {
      waiting.push(socket)
      if (++requestCount === 20) for (const one of waiting) one.write(PAGE)
    })
    const fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    const url = new URL(`http://127.0.0.1:${server.port}/`)
    // At most 16 pages of a host are requested at once; icons have a limit of their own.
    await Promise.all([
      ...Array.from({ length: 16 }, () => fetcher.fetch(url, budget)),
      ...Array.from({ length: 4 }, (_, n) => fetcher.hasIcon(new URL(`/icon${n}`, url), budget)),
    ])
    await until(() => server.open.size === 16)
    expect(server.requests).toEqual(Array(20).fill(1))
    await fetcher[Symbol.asyncDispose]()
    await until(() => server.open.size === 0)
  })

  test('is closed after some idle seconds', async () => {
    await using server = await openServer(replyPage)
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://127.0.0.1:${server.port}/`), budget)
    expect(server.open.size).toBe(1)
    await until(() => server.open.size === 0)
  })
})

test('concurrent pages use all kept connections of a server', async () => {
  await using server = await openServer((socket) => sendLater(socket, PAGE))
  await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
  using budget = budgetOf()
  const url = new URL(`http://127.0.0.1:${server.port}/`)
  for (let round = 0; round < 3; round++) {
    await Promise.all([fetcher.fetch(url, budget), fetcher.fetch(url, budget)])
    await turns()
  }
  expect(server.requests).toEqual([3, 3])
})

test('concurrent pages do not mix', async () => {
  const pageOf = (n: number) =>
    `<head><meta property=og:title content="Page ${n}">${String(n).repeat(30_000)}</head><body>`
  let requestCount = 0
  await using server = await openServer((socket) => {
    const answer = responseBytes(200, { 'Content-Type': 'text/html' }, pageOf(++requestCount))
    socket.write(answer.subarray(0, 20_000))
    setTimeout(() => socket.write(answer.subarray(20_000)), 5)
  })
  await using fetcher = fetcherFor([`127.0.0.1:${server.port}`])
  using budget = budgetOf()
  const url = new URL(`http://127.0.0.1:${server.port}/`)
  const pages = (await Promise.all(Array.from({ length: 40 }, () => fetcher.fetch(url, budget)))).map(({ bytes }) =>
    new TextDecoder().decode(bytes),
  )
  const numbers = pages.map((page) => Number(/Page (\d+)/.exec(page)?.[1]))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  for (const [i, page] of pages.entries()) expect(page).toStartWith(pageOf(numbers[i]!).slice(0, -'<body>'.length))
})

describe('a kept connection', () => {
  test('is only used for its own host name', async () => {
    await using server = await openServer(replyPage)
    await using dns = await openDnsServer({
      'one.test': () => ({ A: ['127.0.0.1'] }),
      'two.test': () => ({ A: ['127.0.0.1'] }),
    })
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`], { dnsServers: [dns.address] })
    using budget = budgetOf()
    for (const name of ['one.test', 'two.test', 'one.test', '127.0.0.1']) {
      await fetcher.fetch(new URL(`http://${name}:${server.port}/`), budget)
    }
    expect(server.requests).toEqual([2, 1, 1])
  })

  test('is not used when its name resolves to another address', async () => {
    await using server = await openServer(replyPage)
    let address = '127.0.0.1'
    await using dns = await openDnsServer({ 'site.test': () => ({ A: [address], ttl: 0 }) })
    await using fetcher = fetcherFor([`127.0.0.1:${server.port}`], { dnsServers: [dns.address] })
    using budget = budgetOf()
    const url = new URL(`http://site.test:${server.port}/`)
    await fetcher.fetch(url, budget)
    address = '10.0.0.1'
    await expect(fetcher.fetch(url, budget)).rejects.toMatchObject({ failure: 'address_not_allowed' })
    expect(server.requests).toEqual([1])
  })
})

describe('over TLS', () => {
  let certificates: Certificates
  beforeAll(async () => {
    certificates = await makeCertificates(['good.test', 'also-good.test'])
  })

  const NAMES = ['good.test', 'also-good.test', 'other.test']

  async function openSecure(reply: Reply) {
    const stack = new AsyncDisposableStack()
    const server = stack.use(await openServer(reply, certificates.good))
    const dns = stack.use(
      await openDnsServer(Object.fromEntries(NAMES.map((name) => [name, () => ({ A: ['127.0.0.1'] })]))),
    )
    const fetcher = stack.use(
      fetcherFor([`127.0.0.1:${server.port}`], { dnsServers: [dns.address], authorities: [certificates.authority] }),
    )
    const budget = stack.use(budgetOf())
    return {
      server,
      fetch: (name: string) => fetcher.fetch(new URL(`https://${name}:${server.port}/`), budget),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  }

  test('a connection is kept', async () => {
    await using secure = await openSecure(replyPage)
    await secure.fetch('good.test')
    const { trace } = await secure.fetch('good.test')
    expect(secure.server.requests).toEqual([2])
    expect(trace.hops[0]).toMatchObject({ keptConnectionTo: '127.0.0.1', tls: 'TLSv1.3' })
  })

  test('a kept connection that the server closes at the next request is replaced', async () => {
    await using secure = await openSecure((socket, count) => void (count === 1 ? socket.write(PAGE) : socket.end()))
    await secure.fetch('good.test')
    expect((await secure.fetch('good.test')).status).toBe(200)
    expect(secure.server.requests).toEqual([2, 1])
  })

  test('a session is only resumed for its own host name', async () => {
    await using secure = await openSecure((socket) => void socket.write(`${OK}Connection: close\r\n\r\n<body>`))
    for (const name of ['good.test', 'good.test', 'also-good.test', 'also-good.test']) await secure.fetch(name)
    expect(secure.server.resumed).toEqual([false, true, false, true])
  })

  test.each([
    ['ordinary', 4_000, 1_000, 1_000],
    ['long', 62_000, 1_000, 135],
  ])('%s sessions take at most 8 MB', (_name, bytes, count, kept) => {
    using connections = createConnections()
    const servers = Array.from({ length: count }, (_, i) => ({ origin: `https://${i}.test`, address: '192.0.2.1' }))
    for (const server of servers) {
      const socket = new EventEmitter() as TLSSocket
      connections.watchSessions(server, socket)
      socket.emit('session', Buffer.alloc(bytes))
    }
    expect(servers.filter((server) => connections.session(server) !== undefined)).toHaveLength(kept)
  })

  test('closing a connection also closes the TCP connection below TLS', async () => {
    await using secure = await openSecure(
      (socket) => void socket.write(`${OK}Connection: close\r\nContent-Length: 0\r\n\r\n`),
    )
    expect((await secure.fetch('good.test')).status).toBe(200)
    await until(() => secure.server.open.size === 0)
  })

  test('connections and sessions do not bypass the check of another name', async () => {
    await using secure = await openSecure(replyPage)
    await secure.fetch('good.test')
    await expect(secure.fetch('other.test')).rejects.toMatchObject({
      reason: 'TLS error: certificate is for another host',
    })
  })
})
