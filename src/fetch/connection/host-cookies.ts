import type { IncomingMessage } from 'node:http'
import { CookieJar } from 'tough-cookie'

/** The cookies set while fetching one page. Not shared with other requests. */
export interface HostCookies {
  /** The Cookie header for a URL, or ''. */
  headerFor(url: URL): string
  /** Stores the cookies of a response and returns their names. */
  keep(response: IncomingMessage, url: URL): string[]
}

/** Bounds the work for one response. */
const MAX_COOKIES_PER_RESPONSE = 50

/** Characters that Node refuses in a header (RFC 9110 section 5.5); sending such a cookie would fail the fetch. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

export function createHostCookies(): HostCookies {
  // Domains are matched by RFC 6265bis and checked against the public suffix list, so cookies stay within a site.
  let jar: CookieJar | null = null

  return {
    headerFor: (url) => jar?.getCookieStringSync(url.href) ?? '',
    keep: (response, url) =>
      (response.headers['set-cookie'] ?? []).slice(0, MAX_COOKIES_PER_RESPONSE).flatMap((text) => {
        if (UNSENDABLE.test(text)) return []
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
