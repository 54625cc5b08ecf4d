import { createHash } from 'node:crypto'

import badPorts from './bad-ports.json'
import {
  classifyAddress,
  formatAddress,
  isInRange,
  parseAddress,
  parseAddressRange,
  parseCidr,
  type Address,
  type AddressRange,
  type AddressVerdict,
} from './address.ts'
import { comparableName, isLocalName } from './local-name.ts'

/** A private destination that may be fetched, by host name or by dialed address. A null `port` allows every port. */
export type AllowRule = { port: number | null } & ({ name: string } | { range: AddressRange })

/** The operator's exceptions, and this process's own listeners. */
export interface EgressRules {
  allow: readonly AllowRule[]
  /** The addresses of this machine's interfaces, as `formatAddress` writes them, and this process's ports. */
  own: { addresses: readonly string[]; ports: readonly number[] }
}

/** The destination of a request; `host` as the WHATWG parser writes it, IPv6 in brackets. */
export interface EgressTarget {
  host: string
  port: number
}

/** The reason for refusing a destination. The reason is logged, but not disclosed to API callers. */
export type EgressRefusal = Exclude<AddressVerdict, 'public'> | 'own_address' | 'local_name' | 'bad_port' | 'no_address'

/** One resolved address and its classification; `refusal` is null when it may be dialed. */
export interface CheckedAddress {
  address: string
  verdict: AddressVerdict
  refusal: EgressRefusal | null
}

/** The decision that the socket uses: only the `pinned` addresses are dialed, in this order. */
export type EgressDecision =
  | { allowed: true; pinned: string[]; checked: CheckedAddress[] }
  | { allowed: false; refusal: EgressRefusal; checked: CheckedAddress[] }

/** https://fetch.spec.whatwg.org/#port-blocking: ports of other protocols, whose servers may parse HTTP as commands. */
const BAD_PORTS: ReadonlySet<number> = new Set(badPorts)

/** Ports on which a public site on the same machine usually listens. */
const WEB_PORTS: readonly number[] = [80, 443]

/** Host and effective port of an http(s) URL. */
export function egressTarget(url: URL): EgressTarget {
  return { host: url.hostname, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) }
}

/** The address when the URL's host is a literal address; null when it is a name. */
export const literalAddress = (host: string): Address | null => parseAddress(withoutBrackets(host))

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** Whether a URL's host may be public: neither a private network's name nor a private address. Uses no DNS. */
export function isPublicHost(host: string): boolean {
  const literal = literalAddress(host)
  return literal === null ? !isLocalName(host) : classifyAddress(literal) === 'public'
}

/** Parses `host`, `host:port`, an address, `address:port`, `[ipv6]:port` or a CIDR range; null for anything else. */
export function parseAllowRule(text: string): AllowRule | null {
  if (text.includes('/')) {
    const range = parseCidr(text)
    return range && { range, port: null }
  }
  const bare = parseAddressRange(text)
  if (bare !== null) return { range: bare, port: null }

  const [, host = '', digits] = /^(\[[^\]]*\]|[^:@\s]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  // The rule goes through the same parser as callers' URLs, so that both are normalized in the same way.
  const hostname = /[/?#\\]/.test(host) ? undefined : URL.parse(`http://${host}/`)?.hostname
  const port = digits === undefined ? null : Number(digits)
  if (!hostname || hostname.includes('*') || (port !== null && (port < 1 || port > 65_535))) return null
  const range = parseAddressRange(withoutBrackets(hostname))
  return range === null ? { name: comparableName(hostname), port } : { range, port }
}

/** Identifies the rules under which a result was fetched, regardless of their order: '' for none, or a space and a hash. */
export function allowListId(allow: readonly AllowRule[]): string {
  const rangeText = ([address, prefixBits]: AddressRange) => `${formatAddress(address)}/${prefixBits}`
  const texts = allow.map((rule) => `${'range' in rule ? rangeText(rule.range) : rule.name} ${rule.port}`).toSorted()
  return texts.length === 0 ? '' : ` ${createHash('sha256').update(texts.join()).digest('base64url')}`
}

/** Refuses a port or a name without a DNS lookup; null if both are allowed. */
export function refuseByName(target: EgressTarget, { allow }: EgressRules): EgressRefusal | null {
  if (BAD_PORTS.has(target.port)) return 'bad_port'
  if (!isLocalName(target.host)) return null
  const mayBeOpened = allow.some((rule) => allowsPort(rule, target.port) && ('range' in rule || isNamed(rule, target)))
  return mayBeOpened ? null : 'local_name'
}

/**
 * Checks every address that a target resolved to. If one of them is forbidden, the target is refused, because a DNS
 * response that mixes public and private addresses is an attack or a mistake.
 */
export function decideEgress(target: EgressTarget, addresses: readonly string[], rules: EgressRules): EgressDecision {
  const byName = refuseByName(target, rules)
  const checked = addresses.map((address) => checkAddress(target, address, rules))
  const refusal = byName ?? checked.find((address) => address.refusal !== null)?.refusal ?? null
  if (refusal !== null) return { allowed: false, refusal, checked }
  if (checked.length === 0) return { allowed: false, refusal: 'no_address', checked }
  return { allowed: true, pinned: interleaved(checked.map(({ address }) => address)), checked }
}

function checkAddress(target: EgressTarget, text: string, { allow, own }: EgressRules): CheckedAddress {
  const parsed = parseAddress(text)
  // Formatted from the bytes that were checked, so that nothing else can be dialed.
  const address = parsed === null ? text : formatAddress(parsed)
  const verdict = classifyAddress(parsed)
  if (parsed === null) return { address, verdict, refusal: 'not_an_address' }

  const matching = allow.filter((rule) => matchesRule(rule, target, parsed))
  const isOwnAddress = verdict === 'loopback' || own.addresses.includes(address)
  const isOwnListener = isOwnAddress && own.ports.includes(target.port)
  // A range without a port does not include this process's own port, which must be allowed explicitly.
  if (isOwnListener)
    return { address, verdict, refusal: matching.some(({ port }) => port !== null) ? null : 'own_address' }
  if (matching.length > 0) return { address, verdict, refusal: null }
  if (verdict !== 'public') return { address, verdict, refusal: verdict }
  // Connections to the machine's own public address bypass the firewall that protects its other services.
  if (isOwnAddress && !WEB_PORTS.includes(target.port)) return { address, verdict, refusal: 'own_address' }
  return { address, verdict, refusal: isLocalName(target.host) ? 'local_name' : null }
}

/** Whether a rule allows the port of the target, and its name or this address. */
export function matchesRule(rule: AllowRule, target: EgressTarget, address: Address): boolean {
  return allowsPort(rule, target.port) && ('range' in rule ? isInRange(address, rule.range) : isNamed(rule, target))
}

function allowsPort(rule: AllowRule, port: number): boolean {
  return rule.port === null || rule.port === port
}

function isNamed(rule: AllowRule, target: EgressTarget): boolean {
  return 'name' in rule && rule.name === comparableName(target.host)
}

/** Interleaves families, IPv6 first (RFC 8305 section 4), so that a family without a route costs only one attempt. */
function interleaved(addresses: readonly string[]): string[] {
  const unique = [...new Set(addresses)]
  const v6 = unique.filter((address) => address.includes(':'))
  const v4 = unique.filter((address) => !address.includes(':'))
  return unique.flatMap((_, i) => [...v6.slice(i, i + 1), ...v4.slice(i, i + 1)])
}
