import { parseUrl } from '../web-url.ts'

export const EXPECTED_ORIGIN = 'an http(s) origin without path and wildcard, such as https://app.example.com'

/** A scheme, a DNS name of at most 253 characters (RFC 1035, section 2.3.4) and a port. */
const MAX_ORIGIN_CHARACTERS = 270

/**
 * Parses an origin, as browsers send it. Null for anything else, including wildcards, which would let any page use a key.
 */
export function parseWebOrigin(text: string): string | null {
  const origin = /^https?:\/\/[^/?#@\\*]+\/?$/i.test(text) ? parseUrl(text)?.origin : undefined
  return origin === undefined || origin.length > MAX_ORIGIN_CHARACTERS ? null : origin
}
