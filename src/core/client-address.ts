import { type Address, type AddressRange, isInRange, parseAddress } from './address.ts'

/**
 * The address a request comes from. `X-Forwarded-For` is believed only as far as trusted proxies wrote it: each appends
 * the peer it saw, so it is read from its end, up to the first address that is no proxy of ours.
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
): Address | null {
  let client = peer === null ? null : parseAddress(peer)
  const hops = forwardedFor?.split(',') ?? []
  while (client !== null && hops.length > 0 && isTrusted(client, trustedProxies)) {
    const before = parseForwarded(hops.pop()!.trim())
    if (before === null) break
    client = before
  }
  return client
}

/**
 * Some proxies append the port of the client (`192.0.2.1:4711`), and then IPv6 addresses stand in brackets; others write
 * the brackets alone.
 */
function parseForwarded(text: string): Address | null {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return parseAddress(inBrackets ?? ipv4 ?? text)
}

/** Whether the address is one of the proxies whose X-Forwarded-For is believed. */
export function isTrusted(address: Address, trustedProxies: readonly AddressRange[]): boolean {
  return trustedProxies.some((range) => isInRange(address, range))
}

/** Whose attempts are counted together: an IPv4 address, or the /64 that one IPv6 customer has at the least. */
export function addressBlock(address: Address | null): string {
  if (address === null) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  const network = address.toByteArray().slice(0, 8)
  return `${Buffer.from(network).toString('hex')}/64`
}
