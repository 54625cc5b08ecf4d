import { MAX_URL_CHARACTERS } from '../limits.ts'
import { parseUrl } from '../web-url.ts'

/** https://fetch.spec.whatwg.org/#redirect-status; the next request is a GET for all of them. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

/** Where a response redirects to. `location` is as Node returns it, one character per byte of UTF-8. */
export function redirectionOf(status: number, location: string | null, from: URL): { next: URL } | 'final' | 'invalid' {
  if (!REDIRECT_STATUSES.includes(status)) return 'final'
  if (location === null) return 'invalid'
  return redirectTarget(utf8Of(location), from)
}

/** Resolves a redirect target against the redirecting page; invalid unless callers could request it themselves. */
export function redirectTarget(target: string, from: URL): { next: URL } | 'invalid' {
  const next = parseUrl(target, from.href)
  if (next === null || (next.protocol !== 'http:' && next.protocol !== 'https:')) return 'invalid'
  if (next.username || next.password || next.href.length > MAX_URL_CHARACTERS) return 'invalid'
  next.hash = ''
  return { next }
}

function utf8Of(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  } catch {
    return bytes
  }
}
