import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { egressTarget, type EgressTarget } from '../../core/egress.ts'
import type { Hop } from '../../core/trace.ts'
import { connectTcp, dial } from '../dial.ts'
import type { Guard } from '../guard.ts'
import { MAX_HEAD_BYTES } from '../limits.ts'
import { openAccount, type ProxyAccount, type TrafficLimits, type PageAccess } from './proxy-account.ts'

/**
 * The forward proxy for Chromium. Every request and tunnel goes through the guard, and the proxy connects only to the
 * addresses that the guard checked. It listens on loopback and requires the credentials of an open page.
 */
export interface Proxy extends AsyncDisposable {
  readonly port: number
  /** Creates the credentials and limits of one page. */
  admit(allowance: TrafficLimits): PageAccess
}

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those for this proxy. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const AUTHENTICATE = 'Basic realm="urlmeta"'

/** The statuses of refused and failed requests; the page learns nothing else. */
const REFUSED = 403
const UNREACHABLE = 502

export async function openProxy({ guard }: { guard: Guard }): Promise<Proxy> {
  const accounts = new Map<string, ProxyAccount>()

  const accountOf = ({ headers }: IncomingMessage): ProxyAccount | undefined =>
    accounts.get(headers['proxy-authorization'] ?? '')

  async function reach(target: EgressTarget, account: ProxyAccount): Promise<Socket | null> {
    account.spendRequest(target.host)
    const decision = await guard.decide(target, account.signal)
    if (!decision.allowed) {
      account.noteRefusal(`${target.host}:${target.port}`, decision.refusal)
      return null
    }
    const upstream = await dial({ pinned: decision.pinned, target }, connectTcp, hopTo(target), account.signal)
    return addAbortSignal(account.signal, upstream)
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const account = accountOf(asked)
    if (account === undefined) return void answer.writeHead(407, { 'Proxy-Authenticate': AUTHENTICATE }).end()
    const url = URL.parse(asked.url ?? '')
    if (url?.protocol !== 'http:') return void answer.writeHead(400).end()
    const upstream = await reach(egressTarget(url), account)
    if (upstream === null) return void answer.writeHead(REFUSED).end()

    const passedOn = request({
      createConnection: () => upstream,
      method: asked.method,
      path: url.pathname + url.search,
      headers: endToEnd(asked.rawHeaders),
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: true,
    })
    try {
      const answered = once(passedOn, 'response') as Promise<[IncomingMessage]>
      await Promise.all([pipeline(asked, account.meter(), passedOn), answered])
      const [received] = await answered
      answer.writeHead(received.statusCode ?? UNREACHABLE, endToEnd(received.rawHeaders))
      await pipeline(received, account.meter(), answer)
    } finally {
      upstream.destroy()
    }
  }

  async function tunnel(asked: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const account = accountOf(asked)
    if (account === undefined) {
      return void client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${AUTHENTICATE}\r\n\r\n`,
      )
    }
    // The scheme is only needed for parsing; CONNECT targets always include the port.
    const url = URL.parse(`https://${asked.url}`)
    if (url === null) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const upstream = await reach(egressTarget(url), account)
    if (upstream === null) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')

    addAbortSignal(account.signal, client)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    await Promise.all([pipeline(client, account.meter(), upstream), pipeline(upstream, account.meter(), client)])
  }

  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES })
  server.on('request', (asked, answer) => {
    forward(asked, answer).catch(() => {
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(UNREACHABLE).end()
    })
  })
  server.on('connect', (asked, client: Socket, head: Buffer) => {
    client.on('error', () => {})
    tunnel(asked, client, head).catch(() => client.destroy())
  })
  server.on('clientError', (_error, client) => client.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    admit(allowance) {
      const account = openAccount(allowance)
      accounts.set(account.authorization, account)
      account.signal.addEventListener('abort', () => accounts.delete(account.authorization), { once: true })
      return account
    },
    async [Symbol.asyncDispose]() {
      for (const account of accounts.values()) account[Symbol.dispose]()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The end-to-end headers in their order, as a flat list of names and values. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => [rawHeaders[2 * i]!, rawHeaders[2 * i + 1]!])
  const named = pairs.filter(([name]) => name!.toLowerCase() === 'connection').flatMap(([, value]) => value!.split(','))
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())])
  return pairs.filter(([name]) => !dropped.has(name!.toLowerCase())).flat()
}

/** Dialling records its attempts in a hop; those of a rendered page's connections are not used. */
function hopTo({ host, port }: EgressTarget): Hop {
  return {
    url: `//${host}:${port}`,
    by: 'caller',
    isDowngrade: false,
    addresses: [],
    attempts: [],
    cookiesSent: [],
    cookiesSet: [],
    timing: {},
  }
}
