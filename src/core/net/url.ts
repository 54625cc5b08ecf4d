import { formatAddress } from './address.ts'
import { decideEgress, egressTarget, literalAddress, refuseByName, type AllowRule, type EgressRules } from './egress.ts'
import { MAX_URL_CHARACTERS } from '../limits.ts'
import { isLoopbackName, LOOPBACK_ADDRESSES } from './local-name.ts'
import { parseUrl } from '../web-url.ts'

/** The page to fetch. Concurrent requests share the object, so `url` must not be modified. */
export interface Target {
  readonly url: URL
  /** The key of its result in the cache: the normalized URL without its fragment, and the variant. */
  readonly cacheKey: string
  /** The Accept-Language that the caller asks for. */
  readonly language?: string | undefined
}

/** Why a caller's URL is refused: the text after `Invalid URL: `. */
interface InvalidTarget {
  reason: string
  /** Set if URLMETA_ALLOW_PRIVATE_HOSTS can allow it. */
  isPrivate?: true
}

export type ParsedTarget = Target | InvalidTarget

/**
 * Parses the URL of a request once, by the WHATWG parser, for all checks: it turns `0x7f.1`, `127。0。0。1` and
 * `127%2e0.0.1` into the loopback address. `allow` holds the operator's exceptions for private destinations.
 */
export function parseTargetUrl(text: string, allow: readonly AllowRule[] = []): ParsedTarget {
  const parsed = parseHttpUrl(text)
  // The guard refuses this process's own ports later, because they are known only once it listens.
  return 'reason' in parsed ? parsed : (refusalOf(parsed.url, { allow, own: { addresses: [], ports: [] } }) ?? parsed)
}

/** Parses the URL of a page that may be private. */
export function parseHttpUrl(text: string): ParsedTarget {
  if (text.trim() === '') return { reason: 'the URL is missing' }
  if (text.length > MAX_URL_CHARACTERS) return { reason: `longer than ${MAX_URL_CHARACTERS} characters` }
  // The parser accepts `https:host` and `https:/host`, which are ambiguous.
  if (!/^[\0-\x20]*https?:\/\//i.test(text)) return { reason: 'must start with http:// or https://' }
  const url = parseUrl(text)
  return url === null ? { reason: 'not a valid URL' } : { url, cacheKey: withRouteOnly(url.href) }
}

/** Why an http(s) URL is refused before any DNS lookup; null when it is not refused. */
function refusalOf(url: URL, rules: EgressRules): InvalidTarget | null {
  if (url.username || url.password) return { reason: 'must not contain a user name or password' }
  const target = egressTarget(url)
  if (refuseByName(target, rules) === 'bad_port') return { reason: `port ${target.port} is not allowed` }
  if (isLoopbackName(target.host) && !decideEgress(target, LOOPBACK_ADDRESSES, rules).allowed) {
    return { reason: 'the host is this machine', isPrivate: true }
  }
  const literal = literalAddress(target.host)
  if (literal !== null && !decideEgress(target, [formatAddress(literal)], rules).allowed) {
    return { reason: 'the address is private or reserved', isPrivate: true }
  }
  return null
}

/**
 * Splits a cache key at its first space, which no URL has. `variant` has the language and the allow-list; '' without both.
 */
export function splitCacheKey(cacheKey: string): { page: string; variant: string } {
  const [page = ''] = cacheKey.split(' ', 1)
  return { page, variant: cacheKey.slice(page.length) }
}

/** `#/…` and `#!/…`: the path of a page in an application that runs in the browser. */
const ROUTE = /^[^#]*#!?\//

/** A normalized URL without its fragment, unless the fragment is a route, with which a browser shows another page. */
export function withRouteOnly(href: string): string {
  return ROUTE.test(href) ? href : withoutFragment(href)
}

/** A normalized URL without its fragment, which is not part of a request (RFC 9110 section 4.2.5). */
export function withoutFragment(href: string): string {
  return href.split('#', 1)[0]!
}
