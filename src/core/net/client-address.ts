import { type Address, type AddressRange, formatAddress, isInRange, isIpv4, parseAddress } from './address.ts'

/** Enough for the addresses of about a hundred proxies. A header can have 30,000 addresses. */
const MAX_FORWARDED_CHARACTERS = 4_096

/**
 * The address a request comes from. Each proxy appends its peer to `X-Forwarded-For`, so the header is read from its
 * end: the result is the last address that is not a trusted proxy. Null (unknown) if a trusted proxy wrote something
 * other than an address, because the proxy's own address is not the client's.
 */
export function clientAddress(
  peer: Address | null,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
): Address | null {
  let client = peer
  const hops = forwardedFor?.slice(-MAX_FORWARDED_CHARACTERS).split(',') ?? []
  while (client !== null && hops.length > 0 && isTrusted(client, trustedProxies)) {
    client = parseForwarded(hops.pop()!.trim())
  }
  return client
}

/** Parses an address with or without port (`192.0.2.1:4711`, `[2001:db8::1]:4711`) and brackets, because proxies differ. */
function parseForwarded(text: string): Address | null {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return parseAddress(inBrackets ?? ipv4 ?? text)
}

export function isTrusted(address: Address, trustedProxies: readonly AddressRange[]): boolean {
  return trustedProxies.some((range) => isInRange(address, range))
}

/** The key for rate limits by client: the IPv4 address, or the IPv6 /64, the smallest network of a customer. */
export function addressBlock(address: Address | null): string {
  if (address === null) return 'unknown'
  return isIpv4(address) ? formatAddress(address) : `${Buffer.from(address.slice(0, 8)).toString('hex')}/64`
}
