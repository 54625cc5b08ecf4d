import { addressBlock } from '../../core/net/client-address.ts'
import { SignInError } from '../../core/accounts/identity.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import { SESSION_MAX_MS, SIGN_IN_ATTEMPT_MS, SIGN_IN_LINK_MS } from '../../core/lifetimes.ts'
import type { AuthDeps } from './auth.ts'
import { redirect } from './request-context.ts'
import type { ClientOf } from '../server/remote-addresses.ts'

/**
 * The maximum number of sign-in requests per minute and client address. A sign-in takes two, and an office may share
 * one address.
 */
const STEPS_PER_MINUTE = 30

/** How long the browser keeps its token: as long as the longest attempt is valid. */
const BROWSER_TOKEN_MS = Math.max(SIGN_IN_ATTEMPT_MS, SIGN_IN_LINK_MS)

/** The format of `newToken`. */
const TOKEN = /^[\w-]{43}$/

export interface SignInSessionDeps extends Pick<AuthDeps, 'sessions' | 'cookies' | 'now'> {
  /** Counts sign-in requests by client network. */
  signInLimiter: RateLimiter
  clientOf: ClientOf
  newToken: () => string
}

/** The steps shared by all sign-in methods. */
export type SignInSession = ReturnType<typeof createSignInSession>

export function createSignInSession(deps: SignInSessionDeps) {
  const { sessions, cookies, signInLimiter, clientOf, newToken, now } = deps

  return {
    /** @throws SignInError `too_many_attempts` */
    async countAttempt(request: Request) {
      const steps = { key: addressBlock(clientOf(request)), limit: STEPS_PER_MINUTE }
      const { allowed } = await signInLimiter.take([steps], now())
      if (!allowed)
        throw new SignInError('too_many_attempts', `more than ${STEPS_PER_MINUTE} sign-in requests in a minute`)
    },

    /**
     * The token of a browser without a session, and its cookie. An existing token is kept for attempts in other tabs.
     */
    browserTokenOf(request: Request) {
      const existing = cookies.read(request, 'urlmeta_attempt')
      const browserToken = existing !== null && TOKEN.test(existing) ? existing : newToken()
      return { browserToken, cookie: cookies.set('urlmeta_attempt', browserToken, BROWSER_TOKEN_MS) }
    },

    /** Starts a session with a new token and redirects to `next`. */
    async start(request: Request, userId: string, next: string | null): Promise<Response> {
      const token = await sessions.open(userId, {
        userAgent: request.headers.get('user-agent') ?? '',
        previousToken: cookies.read(request, 'urlmeta_session'),
      })
      // The attempt's cookie is kept, because another tab may have a pending sign-in.
      return redirect(next ?? '/', [cookies.set('urlmeta_session', token, SESSION_MAX_MS)])
    },
  }
}
