import { type AddressRange, parseAddress } from '../core/address.ts'
import { addressBlock, clientAddress, isTrusted } from '../core/client-address.ts'
import { SignInError } from '../core/identity.ts'
import type { RateLimiter } from '../core/ports.ts'
import { SESSION_MAX_MS, type SessionService } from '../service/sessions.ts'
import type { Cookies } from './cookies.ts'
import { redirect } from './auth.ts'

/** Steps of sign-in that one address may take in a minute: a sign-in has two, and an office shares an address. */
const STEPS_PER_MINUTE = 30

export interface SignInSessionDeps {
  sessions: SessionService
  cookies: Cookies
  limiter: RateLimiter
  /** Ranges whose X-Forwarded-For is believed. */
  trustedProxies: readonly AddressRange[]
  /** Called once, when a peer that is not trusted sends X-Forwarded-For. */
  onForwardedByUntrusted: () => void
  /** Unix milliseconds. */
  now: () => number
}

/** Where a request comes from, as the server tells; it is null when there is no server, as in some tests. */
export type RemoteAddresses = { requestIP(request: Request): { address: string } | null } | null

/** What every way to sign in has in common. */
export interface SignInSession {
  /** @throws SignInError `too_many_attempts` */
  countAttempt(request: Request, peers: RemoteAddresses): Promise<void>
  /** Begins a session, under a token that nobody has seen before, and leads on. */
  start(request: Request, userId: string, next: string | null): Promise<Response>
}

export function createSignInSession(deps: SignInSessionDeps): SignInSession {
  const { sessions, cookies, limiter, trustedProxies, onForwardedByUntrusted, now } = deps
  // Once in the life of the process: clients can send the header with each request.
  let isReported = false

  function reportUntrusted(peer: string | null, forwardedFor: string | null) {
    const address = peer === null ? null : parseAddress(peer)
    if (isReported || forwardedFor === null || address === null || isTrusted(address, trustedProxies)) return
    isReported = true
    onForwardedByUntrusted()
  }

  return {
    async countAttempt(request, peers) {
      const peer = peers?.requestIP(request)?.address ?? null
      const forwardedFor = request.headers.get('x-forwarded-for')
      reportUntrusted(peer, forwardedFor)
      const client = clientAddress(peer, forwardedFor, trustedProxies)
      const steps = { key: `sign-in ${addressBlock(client)}`, limit: STEPS_PER_MINUTE }
      const { allowed } = await limiter.take([steps], now())
      if (!allowed) throw new SignInError('too_many_attempts', `more than ${STEPS_PER_MINUTE} steps in a minute`)
    },

    async start(request, userId, next) {
      const token = await sessions.open(userId, {
        userAgent: request.headers.get('user-agent') ?? '',
        previousToken: cookies.read(request, 'urlmeta_session'),
      })
      // The attempt's cookie stays: a second tab may still be on its way back.
      return redirect(next ?? '/', [cookies.set('urlmeta_session', token, SESSION_MAX_MS)])
    },
  }
}
