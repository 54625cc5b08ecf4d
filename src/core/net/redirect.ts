import { MAX_URL_CHARACTERS } from '../limits.ts'
import { parseUrl } from '../web-url.ts'
import { withEscapedBytes } from './header-fields.ts'

/** https://fetch.spec.whatwg.org/#redirect-status; the next request is a GET for all of these statuses. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Returns the target of a redirect, or `final` if the response is not a redirect. A 302 without a Location is not a
 * redirect: browsers show its body.
 * @param locations the values of the Location field, one character per byte. The first non-empty value is used.
 */
export function redirectionOf(
  status: number,
  locations: readonly string[],
  from: URL,
): { next: URL } | 'final' | 'invalid' {
  const location = locations.find((value) => value !== '')
  if (location === undefined || !REDIRECT_STATUSES.includes(status)) return 'final'
  return redirectTarget(withEscapedBytes(location), from)
}

/**
 * Resolves the target of a redirect against the URL of the page, without user and password. Returns `invalid` if callers
 * could not request it.
 */
export function redirectTarget(target: string, from: URL): { next: URL } | 'invalid' {
  const next = parseUrl(target, from.href)
  if (next === null || (next.protocol !== 'http:' && next.protocol !== 'https:')) return 'invalid'
  next.username = ''
  next.password = ''
  next.hash = ''
  if (next.href.length > MAX_URL_CHARACTERS) return 'invalid'
  return { next }
}
