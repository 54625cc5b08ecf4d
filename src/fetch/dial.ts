import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

import { literalAddress, type EgressTarget } from '../core/egress.ts'
import { bareName } from '../core/local-name.ts'
import type { Hop } from '../core/trace.ts'
import { connectFailure, errorCode, tlsFailure } from './failure.ts'

/** Where to connect; `pinned` comes from the guard and from nowhere else. */
export interface Route {
  pinned: readonly string[]
  target: EgressTarget
}

/** Opens a TCP connection to a literal address. */
export type Connect = (address: string, port: number) => Socket

export const connectTcp: Connect = (address, port) => connect({ host: address, port })

/** More attempts would only tell a port scanner more. */
const MAX_ATTEMPTS = 4

/** An address that does not answer in this time makes room for the next one; the last one has all the time left. */
const ATTEMPT_MS = 500

/**
 * Connects to the first pinned address that answers; what was tried is noted in `hop`. No name gets this far, so
 * nothing can be looked up a second time.
 * @throws FetchError, or the signal's reason
 */
export async function dial(
  { pinned, target }: Route,
  connectTo: Connect,
  hop: Hop,
  signal: AbortSignal,
): Promise<Socket> {
  const startedAt = performance.now()
  let failure: unknown
  const candidates = pinned.slice(0, MAX_ATTEMPTS)
  for (const [i, address] of candidates.entries()) {
    const isLast = i === candidates.length - 1
    const socket = connectTo(address, target.port)
    try {
      await connected(socket, isLast ? null : ATTEMPT_MS, signal)
      hop.attempts.push({ address, error: null })
      hop.timing.connectMs = performance.now() - startedAt
      return socket
    } catch (error) {
      socket.destroy()
      signal.throwIfAborted()
      failure = error
      hop.attempts.push({ address, error: error === NO_ANSWER ? 'no answer' : errorCode(error) })
    }
  }
  throw connectFailure(failure)
}

const NO_ANSWER = new Error('no answer')

/** Resolves when the socket is connected; rejects with its error, with the signal's reason, or with `NO_ANSWER`. */
function connected(socket: Socket, patienceMs: number | null, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise<void>((resolve, reject) => {
    const giveUp = () => settle(() => reject(NO_ANSWER))
    const abort = () => settle(() => reject(signal.reason))
    const timer = patienceMs === null ? undefined : setTimeout(giveUp, patienceMs)
    function settle(settleIt: () => void) {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      settleIt()
    }
    signal.addEventListener('abort', abort)
    socket.on('connect', () => settle(resolve))
    // Stays: an error that nobody listens to between two waits would end the process.
    socket.on('error', (error) => settle(() => reject(error)))
  })
}

export interface TlsDeps {
  host: string
  /** Of an earlier connection to the same server, to be resumed. */
  session?: Buffer | undefined
  /** Hears of the sessions that the server offers. */
  onSecuring?: (socket: TLSSocket) => void
  /** Certificate authorities in PEM instead of the built-in ones. */
  authorities?: readonly string[] | undefined
}

/**
 * Speaks TLS over a connected socket and checks the certificate against the host of the URL, not the dialled address.
 * @throws FetchError, or the signal's reason
 */
export async function secure(
  socket: Socket,
  { host, session, onSecuring, authorities }: TlsDeps,
  hop: Hop,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const startedAt = performance.now()
  const literal = literalAddress(host)?.toString()
  const secured = connectTls({
    socket,
    // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED would turn it off otherwise.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // RFC 6066 section 3: no address and no trailing dot in the server name.
    ...(literal === undefined ? { servername: bareName(host) } : { host: literal }),
    ...(authorities && { ca: [...authorities] }),
    // The certificate of a resumed session is checked against the name all the same.
    ...(session && { session }),
  })
  onSecuring?.(secured)
  secured.on('error', () => {})
  try {
    await once(secured, 'secureConnect', { signal })
  } catch (error) {
    secured.destroy()
    signal.throwIfAborted()
    throw tlsFailure(error)
  }
  hop.timing.tlsMs = performance.now() - startedAt
  hop.tls = secured.getProtocol() ?? ''
  return secured
}
