import type { IncomingMessage } from 'node:http'
import { CookieJar } from 'tough-cookie'

/** What sites set on the way to one page. It lives as long as that one request and is shared with no other. */
export interface Cookies {
  /** The Cookie header for a URL, or ''. */
  headerFor(url: URL): string
  /** Keeps what an answer sets, and returns the names. */
  keep(answer: IncomingMessage, url: URL): string[]
}

/** A site that sets more on one page is not worth the work. */
const MAX_COOKIES_PER_ANSWER = 50

/** What Node refuses in a header (RFC 9110 section 5.5); sent back, such a cookie would end the whole fetch. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

export function createCookies(): Cookies {
  // Domains are matched by RFC 6265bis and checked against the public suffix list: nothing crosses from site to site.
  const jar = new CookieJar()

  return {
    headerFor: (url) => jar.getCookieStringSync(url.href),
    keep: (answer, url) =>
      (answer.headers['set-cookie'] ?? []).slice(0, MAX_COOKIES_PER_ANSWER).flatMap((text) => {
        if (UNSENDABLE.test(text)) return []
        const cookie = jar.setCookieSync(text, url.href, { ignoreError: true })
        return cookie ? [cookie.key] : []
      }),
  }
}

/** The names in a Cookie header. */
export function cookieNames(header: string): string[] {
  return header.split('; ').flatMap((pair) => (pair === '' ? [] : [pair.split('=', 1)[0] ?? '']))
}
