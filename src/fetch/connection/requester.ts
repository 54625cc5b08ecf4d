import type { TLSSocket } from 'node:tls'

import { egressTarget } from '../../core/net/egress.ts'
import { FetchError } from '../../core/errors.ts'
import type { Connection, Connections } from './connections.ts'
import { dial, startTls, type Connector, type Route, type TlsOptions } from './dial.ts'
import { type Exchange, exchange, StaleConnectionError } from './exchange.ts'
import type { Guard } from './guard.ts'
import type { HttpResponse } from '../response/http-response.ts'
import {
  type CompletedChain,
  isIncompleteChain,
  type Issuers,
  mayHaveOtherChain,
  sentCertificates,
} from './peer-chain.ts'
import type { ConcurrencyLimit, Slots } from './slots.ts'
import type { Caller } from '../../core/fetch/ports.ts'
import { timed } from '../response/timed.ts'

/** Redirects are not followed. */
export interface PageRequest extends Exchange {
  /** Null for requests without a caller, such as webhooks. */
  caller: Caller | null
}

/**
 * Sends one request and passes the response to `read`. Afterwards the connection is kept for reuse if the rest of the
 * response is short or was read; otherwise it is closed.
 * @throws FetchError, the signal's reason, or any error of `read`
 */
export type Requester = <T>(request: PageRequest, read: (response: HttpResponse) => Promise<T>) => Promise<T>

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
    const target = egressTarget(url)
    const decision = await timed(hop, 'dnsMs', () => guard.decide(target, signal, caller?.publicOnly ?? false))
    if (decision.resolvedBy === 'literal') delete hop.timing.dnsMs
    hop.addresses = decision.checked
    if (decision.resolvedBy) hop.resolvedBy = decision.resolvedBy
    if (!decision.allowed) {
      hop.refusal = decision.refusal
      // All refusals have the same message and come before any connection, so they reveal nothing about private
      // networks.
      throw new FetchError('address_not_allowed', { cause: decision, detail: decision.refusal })
    }
    return { pinned: decision.pinned, target }
  }

  function slotFor(request: PageRequest, route: Route): Promise<Disposable> {
    const { caller, hop, signal } = request
    const slot = { user: caller?.userId ?? null, limits: limitsOf(request, route) }
    return timed(hop, 'queueMs', () => slots.take(slot, signal))
  }

  async function open(request: PageRequest, route: Route): Promise<Connection> {
    try {
      return await connect(request, route, authorities)
    } catch (error) {
      if (!mayHaveOtherChain(error)) throw error
      const chain = await timed(request.hop, 'tlsMs', () => completeChain(request, route, error))
      if (chain === null) throw error
      if (chain.address !== null) request.hop.issuerFrom = chain.address
      return await connect(request, route, chain.authorities)
    }
  }

  /**
   * Null if the chain cannot be completed; the error of the first handshake is then reported.
   * @throws FetchError `overloaded`, because the next try may succeed; the signal's reason
   */
  async function completeChain(
    { url, caller, signal }: PageRequest,
    route: Route,
    error: FetchError,
  ): Promise<CompletedChain | null> {
    if (issuers === null) return null
    try {
      const transport = await dial(route, connector, signal)
      const sent = await sentCertificates(transport, url.hostname, signal)
      return await issuers.issuersOf(sent, isIncompleteChain(error), caller, signal)
    } catch (failure) {
      signal.throwIfAborted()
      if (failure instanceof FetchError && failure.failure === 'overloaded') throw failure
      return null
    }
  }

  async function connect(
    { url, hop, signal }: PageRequest,
    route: Route,
    trusted: readonly string[] | undefined,
  ): Promise<Connection> {
    const transport = await timed(hop, 'connectMs', () => dial(route, connector, signal, hop))
    const { origin } = url
    const address = hop.attempts.at(-1)!.address
    if (url.protocol !== 'https:') return connections.add(origin, { socket: transport, transport, address })
    const server = { origin, address }
    const session = connections.session(server)
    const onTlsSocket = (socket: TLSSocket) => connections.watchSessions(server, socket)
    try {
      const options = { host: url.hostname, session, onTlsSocket, authorities: trusted }
      const socket = await timed(hop, 'tlsMs', () => startTls(transport, options, signal, hop))
      return connections.add(origin, { socket, transport, address, tls: hop.tls })
    } catch (error) {
      transport.destroy()
      throw error
    }
  }

  async function sendOn<T>(connection: Connection, request: PageRequest, read: (response: HttpResponse) => Promise<T>) {
    const { hop, signal } = request
    const { transport } = connection.opened
    const bytesBefore = transport.bytesRead
    const close = () => connection.close()
    signal.addEventListener('abort', close)
    let isInUse = true
    /** Afterwards, the connection may belong to another request. */
    const release = () => {
      if (!isInUse) return
      isInUse = false
      signal.removeEventListener('abort', close)
      hop.wireBytes = transport.bytesRead - bytesBefore
    }
    try {
      const { response, reader } = await exchange(connection, request, (mayBeKept) => {
        release()
        connection.end(mayBeKept)
      })
      const result = await read(response)
      if (isInUse && connections.drain(connection, reader, request.caller?.userId ?? null)) release()
      return result
    } finally {
      if (isInUse) {
        release()
        connection.close()
      }
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
