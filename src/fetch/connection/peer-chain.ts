import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls'

import { FetchError } from '../../core/errors.ts'
import { wordSet } from '../../core/word-set.ts'
import { errorCode } from '../response/failure.ts'
import { serverNameOf } from './dial.ts'
import type { Caller } from '../../core/fetch/ports.ts'

/** Completes the chains of servers that send too few certificates, or outdated ones, as browsers do. */
export interface Issuers {
  /**
   * The certificates needed to verify a chain: the root and the intermediate certificates, in PEM. Some servers send
   * intermediate certificates that have expired before those that replace them; others do not send them at all. Null if
   * they cannot be found.
   * @param sent the certificates that the server sends; the first is its own
   * @param mayFetch whether a missing certificate is requested from the URL in the last one
   * @throws FetchError `overloaded`, or the signal's reason
   */
  issuersOf(
    sent: readonly X509Certificate[],
    mayFetch: boolean,
    caller: Caller | null,
    signal: AbortSignal,
  ): Promise<CompletedChain | null>
}

export interface CompletedChain {
  /** The root and the intermediate certificates, in PEM. */
  authorities: readonly string[]
  /** The URL of the intermediate certificate that the server did not send; null if it sent all. */
  address: string | null
}

/** The maximum number of certificates to read. Real chains are shorter. */
const MAX_CHAIN_LENGTH = 10

/** Error codes of OpenSSL for a chain whose next certificate is neither sent nor known. */
const INCOMPLETE = wordSet(
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
)

/** Error codes for a certificate that another one of the same server may replace. */
const REPLACEABLE = wordSet('CERT_HAS_EXPIRED CERT_NOT_YET_VALID SELF_SIGNED_CERT_IN_CHAIN')

/** Whether a valid chain may exist although the handshake failed with this error. */
export function mayHaveOtherChain(error: unknown): error is FetchError {
  return isIncompleteChain(error) || (isTlsError(error) && REPLACEABLE.has(errorCode(error.cause)))
}

/** Whether a handshake failed because of an incomplete chain or an unknown authority. */
export function isIncompleteChain(error: unknown): boolean {
  return isTlsError(error) && INCOMPLETE.has(errorCode(error.cause))
}

function isTlsError(error: unknown): error is FetchError {
  return error instanceof FetchError && error.failure === 'tls_error'
}

/**
 * The certificates that a server sends, in their order. The handshake accepts any certificate, so the connection is only
 * used to read them and is then closed.
 * @throws the signal's reason, or a system error
 */
export async function sentCertificates(socket: Socket, host: string, signal: AbortSignal): Promise<X509Certificate[]> {
  const peer = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...serverNameOf(host) })
  peer.on('error', () => {})
  try {
    await once(peer, 'secureConnect', { signal })
    return chainFrom(peer.getPeerCertificate(true))
  } finally {
    peer.destroy()
    socket.destroy()
  }
}

/** Lists the certificates in the order in which they were sent, in which Bun links them. */
function chainFrom(leaf: DetailedPeerCertificate): X509Certificate[] {
  const sent: X509Certificate[] = []
  let next: DetailedPeerCertificate | undefined = leaf
  while (next?.raw !== undefined && sent.length < MAX_CHAIN_LENGTH) {
    sent.push(new X509Certificate(next.raw))
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate
    next = issuer === next ? undefined : issuer
  }
  return sent
}
