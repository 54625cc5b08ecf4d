import type { IncomingMessage } from 'node:http'
import { CookieJar } from 'tough-cookie'

export type HostCookies = ReturnType<typeof createHostCookies>

/** Bounds the work for one response. */
const MAX_COOKIES_PER_RESPONSE = 50

/** Longer cookies are ignored. Browsers limit name and value to 4,096 characters, and each attribute to 1,024. */
const MAX_COOKIE_CHARACTERS = 8_192

/** Characters that Node refuses in a header (RFC 9110 section 5.5); sending such a cookie would fail the fetch. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** The cookies set while fetching one page. Not shared with other requests. */
export function createHostCookies() {
  // Domains are matched by RFC 6265bis and checked against the public suffix list, so cookies stay within a site.
  let jar: CookieJar | null = null

  return {
    /** The Cookie header for a URL, or ''. */
    headerFor: (url: URL) => jar?.getCookieStringSync(url.href) ?? '',
    /** Stores the cookies of a response and returns their names. */
    keep: (response: IncomingMessage, url: URL) =>
      (response.headers['set-cookie'] ?? []).slice(0, MAX_COOKIES_PER_RESPONSE).flatMap((text) => {
        if (text.length > MAX_COOKIE_CHARACTERS || UNSENDABLE.test(text)) return []
        jar ??= new CookieJar()
        const cookie = jar.setCookieSync(text, url.href, { ignoreError: true })
        return cookie ? [cookie.key] : []
      }),
  }
}

export function cookieNames(header: string): string[] {
  return header.split('; ').flatMap((pair) => (pair === '' ? [] : [cookieNameOf(pair)]))
}

export function cookieNameOf(pair: string): string {
  return pair.split('=', 1)[0] ?? ''
}
