/** The maximum length of a host that is not plain ASCII. Names have at most 253 characters (RFC 1035). */
const MAX_UNICODE_HOST = 255

/** The host of an absolute URL without tabs and line breaks, with its user and port. */
const HOST = /^[\0-\x20]*(?:[a-z]+:[/\\]*|[/\\]{2,})([^/\\?#]*)/i

/** Parses a URL; null for an invalid one. `URL.parse` alone takes quadratic time for a host of combining characters. */
export function parseUrl(text: string, base?: string): URL | null {
  const host = text.length > MAX_UNICODE_HOST ? (HOST.exec(text.replace(/[\t\n\r]/g, ''))?.[1] ?? '') : ''
  return host.length > MAX_UNICODE_HOST && /[^\0-\x7f]|%/.test(host) ? null : URL.parse(text, base)
}

/** Parses an http(s) URL, absolute or relative to `base`; null for '' and anything else. */
export function parseWebUrl(text: string, base: string): URL | null {
  const url = text === '' ? null : parseUrl(text, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null
}

/** An ampersand that was encoded again, in front of a parameter. */
const ENCODED_AMPERSAND = /&(?:amp;|#0*38;)+(?=[\w.[\]%-]+=)/gi

/** An address whose ampersands were encoded once more than its format requires: `?w=1&amp;h=2`. */
export const decodedAmpersands = (address: string): string => address.replace(ENCODED_AMPERSAND, '&')

/** Whether a URL is the root of a site. */
export const isSiteRoot = ({ pathname, search }: URL): boolean => pathname === '/' && search === ''
