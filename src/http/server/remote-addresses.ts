import type { Address, AddressRange } from '../../core/net/address.ts'
import { clientAddress } from '../../core/net/client-address.ts'

/** Finds the address of the peer that sent a request. Null when there is no server, as in some tests. */
export type RemoteAddresses = { requestIP(request: Request): { address: string } | null } | null

/** The address of the client that sent a request, which may have passed trusted proxies; null when it is unknown. */
export type ClientOf = (request: Request) => Address | null

/** @param trustedProxies proxies whose X-Forwarded-For header is trusted */
export function createClientOf(peers: () => RemoteAddresses, trustedProxies: readonly AddressRange[]): ClientOf {
  return (request) => {
    const peer = peers()?.requestIP(request)?.address ?? null
    return clientAddress(peer, request.headers.get('x-forwarded-for'), trustedProxies)
  }
}
