import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls'

import { FetchError } from '../../core/errors.ts'
import { errorCode } from '../response/failure.ts'
import { serverNameOf } from './dial.ts'
import type { Principal } from '../../core/fetch/ports.ts'

/** Completes the chains of servers that do not send their intermediate certificate, as browsers do. */
export interface Issuers {
  /**
   * The certificates needed to verify a chain that ends with `last`: its missing issuer and the root, in PEM. Null if
   * they cannot be found.
   * @throws FetchError `overloaded`, or the signal's reason
   */
  issuersOf(last: X509Certificate, caller: Principal | null, signal: AbortSignal): Promise<CompletedChain | null>
}

export interface CompletedChain {
  /** The intermediate certificate and its root. */
  authorities: readonly string[]
  /** The URL of the intermediate certificate. */
  address: string
}

/** The maximum number of certificates to follow, more than in any real chain. It also ends circular chains. */
const MAX_CHAIN_LENGTH = 10

/** Error codes of OpenSSL for a chain whose next certificate is neither sent nor known. */
const INCOMPLETE: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** Whether a handshake failed because of an incomplete chain or an unknown authority. */
export function isIncompleteChain(error: unknown): boolean {
  return error instanceof FetchError && error.failure === 'tls_error' && INCOMPLETE.has(errorCode(error.cause))
}

/**
 * The last certificate that a server sends. The handshake accepts any certificate, so the connection is only used to read
 * the chain and is then closed.
 * @throws the signal's reason, or a system error
 */
export async function lastCertificateOf(
  socket: Socket,
  host: string,
  signal: AbortSignal,
): Promise<X509Certificate | null> {
  const peer = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...serverNameOf(host) })
  peer.on('error', () => {})
  try {
    await once(peer, 'secureConnect', { signal })
    return lastOf(peer.getPeerCertificate(true))
  } finally {
    peer.destroy()
    socket.destroy()
  }
}

function lastOf(leaf: DetailedPeerCertificate): X509Certificate | null {
  let last = leaf
  for (let length = 1; length < MAX_CHAIN_LENGTH; length++) {
    const issuer: DetailedPeerCertificate | undefined = last.issuerCertificate
    if (issuer === undefined || issuer === last) break
    last = issuer
  }
  return last.raw === undefined ? null : new X509Certificate(last.raw)
}
