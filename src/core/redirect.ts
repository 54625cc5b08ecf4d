import { MAX_URL_CHARACTERS } from './limits.ts'

/** Where an answer leads: on to `next`, nowhere since it is the final one, or to a place that cannot be gone to. */
export type Redirection = { next: URL } | 'final' | 'invalid'

/** https://fetch.spec.whatwg.org/#redirect-status; all of them are followed by another GET. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Reads where a redirect leads. `location` is the header as Node hands it over, one character per byte, or null.
 * Its text is usually UTF-8 whatever the RFCs say, and browsers read it so.
 */
export function redirectionOf(status: number, location: string | null, from: URL): Redirection {
  if (!REDIRECT_STATUSES.includes(status)) return 'final'
  if (location === null) return 'invalid'
  return followable(utf8Of(location), from)
}

/** A target to go on to, resolved against the page that names it, if it is one that a caller could have asked for. */
export function followable(target: string, from: URL): { next: URL } | 'invalid' {
  const next = URL.parse(target, from.href)
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
