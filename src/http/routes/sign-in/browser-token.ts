import { ATTEMPT_MS } from '../../../service/sign-in.ts'
import { LINK_MS } from '../../../service/sign-in-links.ts'
import type { Cookies } from '../../cookies.ts'

/** As long as the longest that is begun with it; each ends by itself before. */
const TOKEN_MS = Math.max(ATTEMPT_MS, LINK_MS)

/** What `formatToken` makes. */
const TOKEN = /^[\w-]{43}$/

/**
 * The token by which a browser is known before it has a session, and the cookie that keeps it. One that it has goes on:
 * another tab may be on its way to a provider, or show the button of a link.
 */
export function browserTokenOf(request: Request, cookies: Cookies, newToken: () => string) {
  const kept = cookies.read(request, 'urlmeta_attempt')
  const browserToken = kept !== null && TOKEN.test(kept) ? kept : newToken()
  return { browserToken, cookie: cookies.set('urlmeta_attempt', browserToken, TOKEN_MS) }
}
