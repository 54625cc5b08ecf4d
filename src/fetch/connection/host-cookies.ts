import { CookieJar } from 'tough-cookie'

import { UNSENDABLE } from './request-head.ts'
import type { HeaderFields } from '../../core/net/header-fields.ts'

export type HostCookies = ReturnType<typeof createHostCookies>

/** Bounds the work for one response. */
const MAX_COOKIES_PER_RESPONSE = 50

/** Longer cookies are ignored. Browsers limit name and value to 4,096 characters, and each attribute to 1,024. */
const MAX_COOKIE_CHARACTERS = 8_192

/** Shown instead of the name of a cookie without one. */
const NAMELESS = '(no name)'

/** The cookies set while fetching one page. Not shared with other requests. */
export function createHostCookies() {
  // Domains are matched by RFC 6265bis and checked against the public suffix list, so cookies stay within a site.
  let jar: CookieJar | null = null

  return {
    /** The Cookie header for a URL, or ''. */
    headerFor: (url: URL) => jar?.getCookieStringSync(url.href) ?? '',
    /** Stores the cookies of a response and returns their names. @param fields of the response */
    keep: (fields: HeaderFields, url: URL) =>
      (fields.get('set-cookie') ?? []).slice(0, MAX_COOKIES_PER_RESPONSE).flatMap((text) => {
        if (text.length > MAX_COOKIE_CHARACTERS || UNSENDABLE.test(text)) return []
        jar ??= new CookieJar()
        const cookie = jar.setCookieSync(text, url.href, { ignoreError: true, loose: true })
        return cookie ? [cookie.key || NAMELESS] : []
      }),
  }
}

export function cookieNames(header: string): string[] {
  return header.split('; ').flatMap((pair) => (pair === '' ? [] : [cookieNameOf(pair) || NAMELESS]))
}

/** The name in `name=value`; '' for a cookie that is only a value (RFC 6265bis section 5.6). */
export function cookieNameOf(pair: string): string {
  return pair.slice(0, Math.max(0, pair.indexOf('=')))
}
