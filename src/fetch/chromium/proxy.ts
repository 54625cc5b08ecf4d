import { wordSet } from '../../core/word-set.ts'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { egressTarget, type EgressTarget } from '../../core/net/egress.ts'
import { dial, type Connector } from '../connection/dial.ts'
import type { Guard } from '../connection/guard.ts'
import { MAX_HEAD_BYTES } from '../response/limits.ts'
import { openPageAccess, type PageAccess, type TrafficLimits } from './proxy-session.ts'

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and headers for this proxy. */
const HOP_BY_HOP = wordSet(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding ' +
    'upgrade',
)

const AUTHENTICATE = 'Basic realm="urlmeta"'

/** The statuses of refused and failed requests. The page gets no other details. */
const REFUSED = 403
const UNREACHABLE = 502

export interface ProxyDeps {
  guard: Guard
  connector: Connector
  /** The address to listen on; by default a free port on 127.0.0.1. */
  listen?: { host: string; port: number }
}

/**
 * The forward proxy for Chromium. Every request and tunnel goes through the guard, and only to addresses that the guard
 * checked. The proxy requires the credentials of an open page, and listens on loopback unless the browser is remote.
 */
export async function openProxy({ guard, connector, listen = { host: '127.0.0.1', port: 0 } }: ProxyDeps) {
  const sessions = new Map<string, PageAccess>()

  const sessionOf = ({ headers }: IncomingMessage): PageAccess | undefined =>
    sessions.get(headers['proxy-authorization'] ?? '')

  async function connect(target: EgressTarget, session: PageAccess): Promise<Socket | null> {
    session.countRequest(target.host)
    const decision = await guard.decide(target, session.signal, session.publicOnly)
    if (!decision.allowed) {
      session.recordRefusal(`${target.host}:${target.port}`, decision.refusal)
      return null
    }
    // Attempts are not traced for rendered pages, which have many connections.
    const upstream = await dial({ pinned: decision.pinned, target }, connector, session.signal)
    return addAbortSignal(session.signal, upstream)
  }

  async function forward(clientRequest: IncomingMessage, clientResponse: ServerResponse): Promise<void> {
    const session = sessionOf(clientRequest)
    if (session === undefined) return void clientResponse.writeHead(407, { 'Proxy-Authenticate': AUTHENTICATE }).end()
    const url = URL.parse(clientRequest.url ?? '')
    if (url?.protocol !== 'http:') return void clientResponse.writeHead(400).end()
    const upstream = await connect(egressTarget(url), session)
    if (upstream === null) return void clientResponse.writeHead(REFUSED).end()

    const upstreamRequest = request({
      createConnection: () => upstream,
      method: clientRequest.method,
      path: url.pathname + url.search,
      headers: endToEnd(clientRequest.rawHeaders),
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: true,
    })
    try {
      const responded = once(upstreamRequest, 'response') as Promise<[IncomingMessage]>
      await Promise.all([pipeline(clientRequest, session.meter(), upstreamRequest), responded])
      const [upstreamResponse] = await responded
      clientResponse.writeHead(upstreamResponse.statusCode ?? UNREACHABLE, endToEnd(upstreamResponse.rawHeaders))
      await pipeline(upstreamResponse, session.meter(), clientResponse)
    } finally {
      upstream.destroy()
    }
  }

  async function tunnel(clientRequest: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const session = sessionOf(clientRequest)
    if (session === undefined) {
      return void client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${AUTHENTICATE}\r\n\r\n`,
      )
    }
    // The scheme is only needed for parsing; CONNECT targets always include the port.
    const url = URL.parse(`https://${clientRequest.url}`)
    if (url === null) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const upstream = await connect(egressTarget(url), session)
    if (upstream === null) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')

    addAbortSignal(session.signal, client)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    await Promise.all([pipeline(client, session.meter(), upstream), pipeline(upstream, session.meter(), client)])
  }

  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES })
  server.on('request', (clientRequest, clientResponse) => {
    forward(clientRequest, clientResponse).catch(() => {
      if (clientResponse.headersSent) clientResponse.destroy()
      else clientResponse.writeHead(UNREACHABLE).end()
    })
  })
  server.on('connect', (clientRequest, client: Socket, head: Buffer) => {
    client.on('error', () => {})
    tunnel(clientRequest, client, head).catch(() => client.destroy())
  })
  server.on('clientError', (_error, client) => client.destroy())
  server.listen(listen.port, listen.host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    /** Creates the credentials and limits of one page. `publicOnly` as in `Budget`. */
    grantAccess(limits: TrafficLimits, publicOnly: boolean) {
      const session = openPageAccess(limits, publicOnly)
      sessions.set(session.authorization, session)
      session.signal.addEventListener('abort', () => sessions.delete(session.authorization), { once: true })
      return session
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions.values()) session[Symbol.dispose]()
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
