import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'

import { egressTarget } from '../core/egress.ts'
import { FetchError } from '../core/errors.ts'
import type { Hop } from '../core/trace.ts'
import { createConnections, type Connection, type Connections } from './connections.ts'
import { dial, DIRECT, secure, type Connector, type Route } from './dial.ts'
import { exchange, StaleConnection } from './exchange.ts'
import type { Guard } from './guard.ts'
import type { Share, Slots } from './slots.ts'

/** One GET of one URL; no redirect is followed. */
export interface Visit {
  url: URL
  headers: Record<string, string>
  /** Who it is for; null where nobody shares. */
  caller: string | null
  /** Where the way is noted while it is gone. */
  hop: Hop
  signal: AbortSignal
}

/**
 * Makes one request and hands the answer to `read`. When that is done the connection ends, unless all of the answer, or
 * nearly all, was read: then it is kept for a while.
 * @throws FetchError, the signal's reason, or what `read` throws
 */
export type Visitor = <T>(visit: Visit, read: (answer: IncomingMessage) => Promise<T>) => Promise<T>

export interface VisitorDeps {
  guard: Guard
  slots: Slots
  /** Where connections are kept between requests. */
  connections?: Connections
  /** The shares that a request belongs to, once it is known where it goes. */
  sharesOf: (visit: Visit, route: Route) => Share[]
  /** Certificate authorities in PEM instead of the built-in ones. */
  authorities?: readonly string[] | undefined
  /** How connections are opened; directly unless told. */
  connector?: Connector
}

export function createVisitor(deps: VisitorDeps): Visitor {
  const { guard, slots, connections = createConnections(), sharesOf, authorities, connector = DIRECT } = deps

  async function routeTo({ url, hop, signal }: Visit): Promise<Route> {
    const startedAt = performance.now()
    const target = egressTarget(url)
    const decision = await guard.decide(target, signal)
    hop.timing.dnsMs = performance.now() - startedAt
    hop.addresses = decision.judged
    if (decision.resolvedBy) hop.resolvedBy = decision.resolvedBy
    if (!decision.allowed) {
      hop.refusal = decision.refusal
      // The same words for every refusal, and before any connection: what is open behind it cannot be learnt.
      throw new FetchError('address_not_allowed', 'address not allowed', { cause: decision, detail: decision.refusal })
    }
    return { pinned: decision.pinned, target }
  }

  async function slotFor(visit: Visit, route: Route): Promise<Disposable> {
    const { caller, hop, signal } = visit
    const startedAt = performance.now()
    const slot = await slots.take({ user: caller, shares: sharesOf(visit, route) }, signal)
    hop.timing.queueMs = performance.now() - startedAt
    return slot
  }

  async function open({ url, hop, signal }: Visit, route: Route): Promise<Connection> {
    const transport = await dial(route, connector, hop, signal)
    const { origin } = url
    const address = hop.attempts.at(-1)!.address
    if (url.protocol !== 'https:') return connections.add(origin, { socket: transport, transport, address })
    const server = { origin, address }
    const session = connections.session(server)
    const onSecuring = (socket: TLSSocket) => connections.watchSessions(server, socket)
    try {
      const socket = await secure(transport, { host: url.hostname, session, onSecuring, authorities }, hop, signal)
      return connections.add(origin, { socket, transport, address, tls: hop.tls })
    } catch (error) {
      transport.destroy()
      throw error
    }
  }

  async function request<T>(connection: Connection, visit: Visit, read: (answer: IncomingMessage) => Promise<T>) {
    const { url, headers, hop, signal } = visit
    const { transport } = connection
    const bytesBefore = transport.bytesRead
    const close = () => connection.close()
    signal.addEventListener('abort', close)
    let isFinished = false
    try {
      const answer = await exchange(connection, url, headers, hop, signal)
      const result = await read(answer)
      const isRead = answer.complete && answer.readableEnded
      isFinished = isRead || connections.drain(connection, answer, transport.bytesRead - bytesBefore)
      return result
    } finally {
      signal.removeEventListener('abort', close)
      hop.wireBytes = transport.bytesRead - bytesBefore
      // One that is read to its end is kept or closed by the connection itself.
      if (!isFinished) connection.close()
    }
  }

  return async (visit, read) => {
    const { url, hop } = visit
    // Names whose servers are silent must not sit in the slots of those that can be reached: look up first.
    const route = await routeTo(visit)
    using _slot = await slotFor(visit, route)
    const kept = connections.take(url.origin, route.pinned)
    if (kept !== null) {
      try {
        hop.keptConnectionTo = kept.address
        if (kept.tls) hop.tls = kept.tls
        return await request(kept, visit, read)
      } catch (error) {
        // Nobody has seen a byte of an answer, and a GET may be repeated (RFC 9110 section 9.2.2).
        if (!(error instanceof StaleConnection)) throw error
        delete hop.keptConnectionTo
      }
    }
    return await request(await open(visit, route), visit, read)
  }
}
