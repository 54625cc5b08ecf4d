import ipaddr from 'ipaddr.js'

import specialRanges from './special-ranges.json'

/**
 * The bytes of an address: 4 of IPv4, 16 of IPv6. IPv4-mapped addresses (`::ffff:a.b.c.d`) are converted to IPv4.
 * Plain numbers, so that they can be sent to other threads.
 */
export type Address = readonly number[]

/** An address block in CIDR notation. */
export type AddressRange = readonly [address: Address, prefixBits: number]

/** The kind of an IP address. Only `public` addresses are dialed, unless the operator allows others. */
export type AddressVerdict = keyof typeof specialRanges | 'not_an_address'

/**
 * The IANA special-purpose registries, because lists in libraries lag behind. More specific ranges come first.
 * https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry
 */
const RANGES = (Object.keys(specialRanges) as (keyof typeof specialRanges)[])
  .flatMap((verdict) => Object.keys(specialRanges[verdict]).map((cidr) => ({ range: parseCidr(cidr)!, verdict })))
  .toSorted((a, b) => b.range[1] - a.range[1])

/**
 * Parses a literal address in its canonical form: four decimal parts, or IPv6 without a zone. Other spellings
 * (`0x7f.1`, `2130706433`) must be normalized by the WHATWG URL parser first. Null for anything else.
 */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).octets
  const hexadecimal = withHexadecimalTail(text)
  // A zone (`fe80::1%eth0`) names a network interface of this machine.
  if (hexadecimal.includes('%') || !ipaddr.IPv6.isValid(hexadecimal)) return null
  const address = ipaddr.IPv6.parse(hexadecimal)
  return address.isIPv4MappedAddress() ? address.toIPv4Address().octets : address.toByteArray()
}

/** `192.0.2.7`, or IPv6 as in RFC 5952 (`2001:db8::1`). */
export function formatAddress(address: Address): string {
  return ipaddr.fromByteArray([...address]).toString()
}

export const isIpv4 = (address: Address): boolean => address.length === 4

/** `::127.0.0.1` → `::7f00:1`. ipaddr.js parses the dotted form as IPv4-mapped, regardless of its prefix. */
function withHexadecimalTail(text: string): string {
  if (!/^[\da-f:]+:\d+\.[\d.]+$/i.test(text)) return text
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? ''
}

/** Parses an address or a CIDR range; null for anything else. IPv4-mapped ranges are converted to IPv4, like addresses. */
export function parseAddressRange(text: string): AddressRange | null {
  const [, start = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseAddress(start)
  if (address === null) return null
  const addressBits = address.length * 8
  if (prefix === undefined) return [address, addressBits]
  const isMapped = isIpv4(address) && start.includes(':')
  const prefixBits = Number(prefix) - (isMapped ? MAPPED_PREFIX_BITS : 0)
  return prefixBits >= 0 && prefixBits <= addressBits ? [address, prefixBits] : null
}

/**
 * Parses a range in CIDR notation; null for anything else. IPv4-mapped ranges stay IPv6, unlike in `parseAddressRange`,
 * for which `::ffff:0:0/96` is every IPv4 address.
 */
export function parseCidr(text: string): AddressRange | null {
  if (!ipaddr.IPv6.isValidCIDR(text) && !ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return null
  const [address, prefixBits] = ipaddr.parseCIDR(text)
  return [address.toByteArray(), prefixBits]
}

/** The bits of an IPv4-mapped address in front of the IPv4 address: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
const MAPPED_PREFIX_BITS = 96

/** `192.0.2.7` for one address, `10.0.0.0/8` for a range. */
export function formatAddressRange([address, prefixBits]: AddressRange): string {
  const text = formatAddress(address)
  return prefixBits === address.length * 8 ? text : `${text}/${prefixBits}`
}

/** Whether `address` is in `range`; false if one is IPv4 and the other IPv6. */
export function isInRange(address: Address, [start, prefixBits]: AddressRange): boolean {
  if (address.length !== start.length) return false
  const wholeBytes = prefixBits >> 3
  for (let i = 0; i < wholeBytes; i++) if (address[i] !== start[i]) return false
  const restBits = prefixBits & 7
  return restBits === 0 || (address[wholeBytes]! ^ start[wholeBytes]!) >> (8 - restBits) === 0
}

/** Classifies an address by its bytes, regardless of its notation. */
export function classifyAddress(address: Address | null): AddressVerdict {
  if (address === null) return 'not_an_address'
  const verdict = RANGES.find(({ range }) => isInRange(address, range))?.verdict ?? 'reserved'
  const tunnelled = verdict === 'public' ? isatapTarget(address) : null
  return tunnelled === null ? verdict : classifyAddress(tunnelled)
}

/** The IPv4 address inside an ISATAP interface identifier, `…:0:5efe:a.b.c.d` (RFC 5214 section 6.1), or null. */
function isatapTarget(address: Address): Address | null {
  const [universal, zero, e, fe] = address.slice(8, 12)
  const isIsatap = (universal === 0x00 || universal === 0x02) && zero === 0x00 && e === 0x5e && fe === 0xfe
  return isIsatap ? address.slice(12) : null
}
