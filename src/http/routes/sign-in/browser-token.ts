import { SIGN_IN_ATTEMPT_MS, SIGN_IN_LINK_MS } from '../../../core/lifetimes.ts'
import type { Cookies } from '../../session/cookies.ts'

/** The lifetime of the longest attempt; each attempt also has its own expiry. */
const TOKEN_MS = Math.max(SIGN_IN_ATTEMPT_MS, SIGN_IN_LINK_MS)

/** The format of `formatToken`. */
const TOKEN = /^[\w-]{43}$/

/** The token of a browser without a session, and its cookie. An existing one is kept for attempts in other tabs. */
export function browserTokenOf(request: Request, cookies: Cookies, newToken: () => string) {
  const existing = cookies.read(request, 'urlmeta_attempt')
  const browserToken = existing !== null && TOKEN.test(existing) ? existing : newToken()
  return { browserToken, cookie: cookies.set('urlmeta_attempt', browserToken, TOKEN_MS) }
}
