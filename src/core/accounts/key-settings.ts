import {
  type Address,
  type AddressRange,
  formatAddressRange,
  isInRange,
  parseAddress,
  parseAddressRange,
} from '../net/address.ts'
import { AppError } from '../errors.ts'
import { comparableName } from '../net/local-name.ts'
import { dayOf } from '../period.ts'

/** The settings of a key that its owner can change. */
export interface KeySettings {
  name: string
  /** Unix milliseconds from which the key is refused; null for a key that does not expire. */
  expiresAtMs: number | null
  /** Hosts whose pages may be requested: exact names and `*.example.com`. Empty allows every host. */
  allowedHosts: readonly string[]
  /** Addresses and ranges from which the key may be used: `192.0.2.7`, `10.0.0.0/8`. Empty allows every address. */
  allowedAddresses: readonly string[]
}

/** A key is `active` until it is deactivated or expires. Both are final. */
export type KeyState = 'active' | 'expired' | 'deactivated'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/**
 * How long a rotated key can keep working. The choices are limited, so that a replaced key does not stay active by
 * oversight.
 */
export const OVERLAPS = [
  { name: '0', label: 'Stop immediately', ms: 0 },
  { name: '1h', label: '1 hour', ms: HOUR_MS },
  { name: '24h', label: '24 hours', ms: DAY_MS },
  { name: '7d', label: '7 days', ms: 7 * DAY_MS },
] as const

/** The overlap of this name in milliseconds; null for other text. */
export function parseOverlap(text: string): number | null {
  return OVERLAPS.find(({ name }) => name === text)?.ms ?? null
}

/** The maximum number of entries of an allow-list. Each request with the key is compared with all of them. */
export const MAX_ALLOWED = 50

/** Whether a key with this expiry is expired. */
export function isExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs
}

/** The state of a key at a time. */
export function keyStateOf(
  { expiresAtMs, deactivatedAtMs }: { expiresAtMs: number | null; deactivatedAtMs: number | null },
  nowMs: number,
): KeyState {
  if (deactivatedAtMs !== null) return 'deactivated'
  return isExpired(expiresAtMs, nowMs) ? 'expired' : 'active'
}

/**
 * The end of a day (UTC) in Unix milliseconds: a key that expires on `2027-01-31` works until midnight. Null for ''.
 * @throws AppError `invalid_request` unless it is a day from today to 9999-12-30
 */
export function parseExpiryDay(text: string, nowMs: number): number | null {
  const day = text.trim()
  if (day === '') return null
  const startMs = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN
  // Date.parse accepts 30 February and returns 2 March.
  if (Number.isNaN(startMs) || dayOf(startMs) !== day) {
    throw new AppError('invalid_request', 'The expiry date must be a date such as 2027-01-31')
  }
  if (startMs + DAY_MS <= nowMs) throw new AppError('invalid_request', 'The expiry date must not be in the past')
  if (startMs + DAY_MS > LAST_EXPIRY_MS)
    throw new AppError('invalid_request', 'The expiry date must be before 9999-12-31')
  return startMs + DAY_MS
}

/** The last day of a key, `2027-01-31`: the inverse of `parseExpiryDay`. '' for a key that does not expire. */
export function expiryDayOf(expiresAtMs: number | null): string {
  return expiresAtMs === null ? '' : dayOf(expiresAtMs - 1)
}

/**
 * The expiry of a key that replaces another at `nowMs`: it lasts as many days as the replaced key did. Null when the
 * replaced key does not expire.
 */
export function successorExpiry(
  { createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number | null },
  nowMs: number,
): number | null {
  if (expiresAtMs === null) return null
  const days = Math.round((expiresAtMs - endOfDay(createdAtMs)) / DAY_MS)
  return Math.min(endOfDay(nowMs) + Math.max(0, days) * DAY_MS, LAST_EXPIRY_MS)
}

/** The start of the last day with a year of four digits. Many programs cannot parse later times of the API and exports. */
const LAST_EXPIRY_MS = Date.UTC(9_999, 11, 31)

function endOfDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS
}

/** A name, or an IPv6 address in brackets; without port, path or user. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s/?#@:\\[\]*%]+)$/i

/** The longest name in DNS (RFC 1035, section 2.3.4). Bounds the row of a key, which is read for each request. */
const MAX_HOST_CHARACTERS = 253

/** A name with an empty label, such as `a..example`. The WHATWG parser accepts it; DNS does not. */
const EMPTY_LABEL = /^$|^\.|\.\.|\.$/

/**
 * Parses hosts separated by commas or white space, normalized like hosts in the WHATWG URL parser.
 * @throws AppError `invalid_request`
 */
export function parseAllowedHosts(text: string): string[] {
  return entriesOf(text, 'hosts', (entry) => {
    const isWildcard = entry.startsWith('*.')
    const name = isWildcard ? entry.slice(2) : entry
    const hostname = HOST.test(name) ? URL.parse(`http://${name}/`)?.hostname : undefined
    if (hostname === undefined) return null
    const host = comparableName(hostname)
    if (host.length > MAX_HOST_CHARACTERS || EMPTY_LABEL.test(host)) return null
    if (!isWildcard) return host
    // An address has no subdomains.
    return parseAddress(host) === null && !host.startsWith('[') ? `*.${host}` : null
  })
}

/**
 * Parses addresses and CIDR ranges separated by commas or white space.
 * @throws AppError `invalid_request`
 */
export function parseAllowedAddresses(text: string): string[] {
  return entriesOf(text, 'addresses', (entry) => {
    const range = parseAddressRange(entry)
    return range && formatAddressRange(range)
  })
}

const EXPECTED = {
  hosts: 'Expected a host such as example.com or *.example.com',
  addresses: 'Expected an IP address or a range such as 10.0.0.0/8',
} as const

/** Error messages repeat at most this much of an entry. */
const MAX_QUOTED_CHARACTERS = 80

function entriesOf(text: string, kind: keyof typeof EXPECTED, parse: (entry: string) => string | null): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const parsed = new Set<string>()
  for (const entry of entries) {
    const value = parse(entry)
    if (value === null) {
      const quoted = JSON.stringify(entry.slice(0, MAX_QUOTED_CHARACTERS))
      throw new AppError('invalid_request', `${EXPECTED[kind]}, got ${quoted}`)
    }
    parsed.add(value)
  }
  if (parsed.size > MAX_ALLOWED) throw new AppError('invalid_request', `At most ${MAX_ALLOWED} ${kind} are allowed`)
  return [...parsed]
}

/** Whether a key may request pages of this host, as the WHATWG parser writes it. An empty list allows every host. */
export function isHostAllowed(hostname: string, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return true
  const name = comparableName(hostname)
  return allowedHosts.some((allowed) => (allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed))
}

/**
 * Whether a key may be used from the client's address. An empty list allows every address; `client` is called for other
 * lists only, and returns null for an unknown address.
 */
export function isClientAllowed(client: () => Address | null, allowedRanges: readonly AddressRange[]): boolean {
  if (allowedRanges.length === 0) return true
  const address = client()
  return address !== null && allowedRanges.some((range) => isInRange(address, range))
}

/** The ranges of stored addresses, parsed once for many requests. */
export function rangesOf(allowedAddresses: readonly string[]): AddressRange[] {
  return allowedAddresses.map((text) => {
    const range = parseAddressRange(text)
    // An unknown entry must not make the list empty, which would allow every address.
    if (range === null) throw new Error(`not an address range: ${text}`)
    return range
  })
}
