import { type Address, type AddressRange, classifyAddress } from '../../core/net/address.ts'
import { clientAddress, isTrusted } from '../../core/net/client-address.ts'

/** The address of the peer that sent a request; null when it is unknown, for example in tests without a server. */
export type PeerOf = (request: Request) => Address | null

/** The address of the client that sent a request, also through trusted proxies; null when it is unknown. */
export type ClientOf = (request: Request) => Address | null

export interface ClientOfDeps {
  peerOf: PeerOf
  /** Proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: readonly AddressRange[]
  /** Called once, with the header that was ignored. */
  onForwardedByUntrusted: (header: string) => void
}

/** Headers in which reverse proxies name the client. Only the first is read from trusted proxies. */
const FORWARDING_HEADERS = ['X-Forwarded-For', 'Forwarded']

/**
 * All limits and restrictions by client address get it here, so that an untrusted reverse proxy is noticed wherever an
 * address decides. A public peer is not reported, because any client on the internet can send these headers.
 */
export function createClientOf({ peerOf, trustedProxies, onForwardedByUntrusted }: ClientOfDeps): ClientOf {
  // Reported once per process, because every request through the proxy has the header.
  let isReported = false
  return (request) => {
    const peer = peerOf(request)
    const ignored = isReported ? undefined : FORWARDING_HEADERS.find((name) => request.headers.has(name))
    if (ignored && peer && classifyAddress(peer) !== 'public' && !isTrusted(peer, trustedProxies)) {
      isReported = true
      onForwardedByUntrusted(ignored)
    }
    return clientAddress(peer, request.headers.get('x-forwarded-for'), trustedProxies)
  }
}
