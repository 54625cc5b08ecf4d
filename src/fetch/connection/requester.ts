import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'

import { egressTarget } from '../../core/net/egress.ts'
import { FetchError } from '../../core/errors.ts'
import type { Connection, Connections } from './connections.ts'
import { dial, startTls, type Connector, type Route, type TlsOptions } from './dial.ts'
import { type Exchange, exchange, StaleConnectionError } from './exchange.ts'
import type { Guard } from './guard.ts'
import { isIncompleteChain, lastCertificateOf, type CompletedChain, type Issuers } from './peer-chain.ts'
import type { ConcurrencyLimit, Slots } from './slots.ts'
import type { Principal } from '../../core/fetch/ports.ts'

/** A request of one URL. Redirects are not followed. */
export interface PageRequest extends Exchange {
  /** Null for requests that are not scheduled by user. */
  caller: Principal | null
}

/**
 * Sends one request and passes the response to `read`. Afterwards the connection is kept for a while if the response
 * was read to its end, or almost; otherwise it is closed.
 * @throws FetchError, the signal's reason, or any error of `read`
 */
export type Requester = <T>(request: PageRequest, read: (response: IncomingMessage) => Promise<T>) => Promise<T>

export interface RequesterDeps extends Pick<TlsOptions, 'authorities'> {
  guard: Guard
  slots: Slots
  connections: Connections
  /** The shared limits that a request counts against, by its route. */
  limitsOf: (request: PageRequest, route: Route) => ConcurrencyLimit[]
  /** Completes incomplete certificate chains; null accepts only complete ones. */
  issuers: Issuers | null
  connector: Connector
}

export function createRequester(deps: RequesterDeps): Requester {
  const { guard, slots, connections, limitsOf, authorities, issuers, connector } = deps

  async function routeTo({ url, caller, hop, signal }: PageRequest): Promise<Route> {
    const startedAt = performance.now()
    const target = egressTarget(url)
    const decision = await guard.decide(target, signal, caller?.publicOnly ?? false)
    hop.timing.dnsMs = performance.now() - startedAt
    hop.addresses = decision.checked
    if (decision.resolvedBy) hop.resolvedBy = decision.resolvedBy
    if (!decision.allowed) {
      hop.refusal = decision.refusal
      // One message for all refusals, before any connection, reveals nothing about private networks.
      throw new FetchError('address_not_allowed', { cause: decision, detail: decision.refusal })
    }
    return { pinned: decision.pinned, target }
  }

  async function slotFor(request: PageRequest, route: Route): Promise<Disposable> {
    const { caller, hop, signal } = request
    const startedAt = performance.now()
    const slot = await slots.take({ user: caller?.userId ?? null, limits: limitsOf(request, route) }, signal)
    hop.timing.queueMs = performance.now() - startedAt
    return slot
  }

  async function open(request: PageRequest, route: Route): Promise<Connection> {
    try {
      return await connect(request, route, authorities)
    } catch (error) {
      const chain = isIncompleteChain(error) ? await completeChain(request, route) : null
      if (chain === null) throw error
      request.hop.issuerFrom = chain.address
      return await connect(request, route, chain.authorities)
    }
  }

  /**
   * Null if the chain cannot be completed; the error of the first handshake is then reported.
   * @throws FetchError `overloaded`, because the next try may succeed; the signal's reason
   */
  async function completeChain({ url, caller, signal }: PageRequest, route: Route): Promise<CompletedChain | null> {
    if (issuers === null) return null
    try {
      const transport = await dial(route, connector, { attempts: [], timing: {} }, signal)
      const last = await lastCertificateOf(transport, url.hostname, signal)
      return last && (await issuers.issuersOf(last, caller, signal))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof FetchError && error.failure === 'overloaded') throw error
      return null
    }
  }

  async function connect(
    { url, hop, signal }: PageRequest,
    route: Route,
    trusted: readonly string[] | undefined,
  ): Promise<Connection> {
    const transport = await dial(route, connector, hop, signal)
    const { origin } = url
    const address = hop.attempts.at(-1)!.address
    if (url.protocol !== 'https:') return connections.add(origin, { socket: transport, transport, address })
    const server = { origin, address }
    const session = connections.session(server)
    const onTlsSocket = (socket: TLSSocket) => connections.watchSessions(server, socket)
    try {
      const options = { host: url.hostname, session, onTlsSocket, authorities: trusted }
      const socket = await startTls(transport, options, hop, signal)
      return connections.add(origin, { socket, transport, address, tls: hop.tls })
    } catch (error) {
      transport.destroy()
      throw error
    }
  }

  async function sendOn<T>(
    connection: Connection,
    request: PageRequest,
    read: (response: IncomingMessage) => Promise<T>,
  ) {
    const { hop, signal } = request
    const { transport } = connection.opened
    const bytesBefore = transport.bytesRead
    const close = () => connection.close()
    signal.addEventListener('abort', close)
    let isFinished = false
    try {
      const response = await exchange(connection, request)
      const result = await read(response)
      const isRead = response.complete && response.readableEnded
      isFinished = isRead || connections.drain(connection, response, transport.bytesRead - bytesBefore)
      return result
    } finally {
      signal.removeEventListener('abort', close)
      hop.wireBytes = transport.bytesRead - bytesBefore
      // After a complete response, the connection decides in `keepSocketAlive`.
      if (!isFinished) connection.close()
    }
  }

  return async (request, read) => {
    const { url, hop } = request
    // Resolve the name first, so that names with unresponsive DNS servers do not occupy slots.
    const route = await routeTo(request)
    using _slot = await slotFor(request, route)
    // A POST must not be repeated, so it is not sent over a connection that the server may have closed.
    const kept = request.body === undefined ? connections.take(url.origin, route.pinned) : null
    if (kept !== null) {
      try {
        const { address, tls } = kept.opened
        hop.keptConnectionTo = address
        if (tls) hop.tls = tls
        return await sendOn(kept, request, read)
      } catch (error) {
        // No byte of the response has arrived, and a GET may be repeated (RFC 9110 section 9.2.2).
        if (!(error instanceof StaleConnectionError)) throw error
        delete hop.keptConnectionTo
      }
    }
    return await sendOn(await open(request, route), request, read)
  }
}
