import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

import { formatAddress } from '../../core/net/address.ts'
import { literalAddress, type EgressTarget } from '../../core/net/egress.ts'
import { comparableName } from '../../core/net/local-name.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { FetchError } from '../../core/errors.ts'
import { areDescriptorsExhausted, noDescriptors } from './descriptors.ts'
import { checkIdentity } from './server-identity.ts'
import { connectFailure, errorCode, tlsFailure } from '../response/failure.ts'

/** `pinned` holds the addresses to connect to, which must come from the guard. */
export interface Route {
  pinned: readonly string[]
  target: EgressTarget
}

/** One of the pinned addresses of a target. */
export interface Destination {
  target: EgressTarget
  address: string
}

/** How connections are opened: directly, or through a proxy. */
export interface Connector {
  /**
   * The timeout of one attempt, in milliseconds. Then the next address is tried; the last one has all the remaining
   * time.
   */
  attemptMs(destination: Destination): number
  /** @throws FetchError, a system error, or the signal's reason */
  open(destination: Destination, signal: AbortSignal): Promise<Socket>
}

/** The maximum number of addresses to try. More attempts would mainly help port scanners. */
const MAX_ATTEMPTS = 4

/** Several times the duration of the slowest intercontinental connection. */
const DIRECT_ATTEMPT_MS = 500

export const DIRECT: Connector = {
  attemptMs: () => DIRECT_ATTEMPT_MS,
  async open({ address, target }, signal) {
    signal.throwIfAborted()
    const socket = connect({ host: address, port: target.port })
    // An error event without a listener would crash the process.
    socket.on('error', () => {})
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      signal.throwIfAborted()
      throw error
    }
  },
}

/**
 * Connects to the first reachable pinned address, and records the attempts in `hop`. `dial` gets no names, so nothing
 * can be resolved a second time.
 * @param hop none for connections that are not traced
 * @throws FetchError, or the signal's reason
 */
export async function dial(
  { pinned, target }: Route,
  connector: Connector,
  signal: AbortSignal,
  { attempts }: Pick<Hop, 'attempts'> = { attempts: [] },
): Promise<Socket> {
  let failure: unknown
  const candidates = pinned.slice(0, MAX_ATTEMPTS)
  for (const [i, address] of candidates.entries()) {
    const isLast = i === candidates.length - 1
    const destination = { target, address }
    const attemptMs = connector.attemptMs(destination)
    const deadline = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(attemptMs)])
    try {
      const socket = await connector.open(destination, deadline)
      attempts.push({ address, error: null })
      return socket
    } catch (error) {
      signal.throwIfAborted()
      if (areDescriptorsExhausted()) throw noDescriptors(error)
      failure = error
      attempts.push({ address, error: deadline.aborted ? 'no response' : attemptError(error) })
    }
  }
  throw failure instanceof FetchError ? failure : connectFailure(failure)
}

function attemptError(error: unknown): string {
  return error instanceof FetchError ? (error.detail ?? error.reason) : errorCode(error)
}

export interface TlsOptions {
  host: string
  /** A session of an earlier connection to the same server, to resume. */
  session?: Buffer | undefined
  /** Called with the socket before the handshake, to listen for sessions. */
  onTlsSocket?: (socket: TLSSocket) => void
  /** Certificate authorities in PEM, used instead of the built-in ones. */
  authorities?: readonly string[] | undefined
}

/**
 * Starts TLS over a connected socket and checks the certificate against the host of the URL, not the dialed address.
 * @throws FetchError, or the signal's reason
 */
export async function startTls(
  socket: Socket,
  { host, session, onTlsSocket, authorities }: TlsOptions,
  signal: AbortSignal,
  hop: Pick<Hop, 'tls'> = {},
): Promise<TLSSocket> {
  const secured = connectTls({
    socket,
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could otherwise turn the check off.
    rejectUnauthorized: true,
    checkServerIdentity: checkIdentity,
    ALPNProtocols: ['http/1.1'],
    ...serverNameOf(host),
    ...(authorities && { ca: [...authorities] }),
    // The certificate of a resumed session is checked against the name too.
    ...(session && { session }),
  })
  onTlsSocket?.(secured)
  secured.on('error', () => {})
  try {
    await once(secured, 'secureConnect', { signal })
  } catch (error) {
    secured.destroy()
    signal.throwIfAborted()
    throw tlsFailure(error)
  }
  hop.tls = secured.getProtocol() ?? ''
  return secured
}

/** The server name for TLS: it has no trailing dot, and is absent for addresses (RFC 6066 section 3). */
export function serverNameOf(host: string): { servername: string } | { host: string } {
  const literal = literalAddress(host)
  return literal === null ? { servername: comparableName(host) } : { host: formatAddress(literal) }
}
