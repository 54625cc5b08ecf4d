import { SIGN_IN_ATTEMPT_MS } from '../../core/lifetimes.ts'
import type { AccountStores } from '../stores.ts'
import type { System } from '../../core/system.ts'
import { type IdentityProvider, oauthErrorCode, SignInError } from '../../core/accounts/identity.ts'
import { displayNameOf } from '../../core/accounts/key-name.ts'
import { hashToken, newToken } from '../../core/accounts/token.ts'
import { planOfNewUser } from '../../core/plan.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'

/** The maximum length of an email address, which some providers use as the account name. */
const MAX_ACCOUNT_CHARACTERS = 254

export interface AuthorizationCallback {
  /** The value of the cookie that `begin` set or kept. */
  browserToken: string | null
  state: string | null
  code: string | null
  /** The provider's error code. */
  error: string | null
  /** The parameter `iss` (RFC 9207); null when absent. */
  issuer: string | null
}

export type SignInService = ReturnType<typeof createSignIn>

export interface SignInDeps extends Pick<AccountStores, 'identities' | 'tickets'>, System {
  providers: readonly IdentityProvider[]
  deletedAccounts: DeletedAccounts
  /** The email addresses of the operators. */
  operators: readonly string[]
  /** The callback URL of a provider, from the public origin and not from the request. */
  callbackUrl: (provider: string) => string
}

/** Stored until the callback. */
interface Attempt {
  codeVerifier: string
  nonce: string
  next: string | null
}

/** Authorization code flow with PKCE, state and nonce. */
export function createSignIn(deps: SignInDeps) {
  const { providers, identities, tickets, deletedAccounts, operators, callbackUrl, now, newId, randomBytes } = deps

  const providerOf = (id: string): IdentityProvider => {
    const provider = providers.find((candidate) => candidate.id === id)
    if (!provider) throw new SignInError('provider_failed', `${id} is not configured`)
    return provider
  }

  // The hash binds an attempt to its provider, browser and state, so that only the same browser can redeem it.
  const hashOf = (provider: string, browserToken: string, state: string) =>
    hashToken('attempt', provider, browserToken, state)

  return {
    providers: providers.map(({ id, issuer, label }) => ({ id, issuer, label })),

    /**
     * Starts a sign-in and returns the URL to redirect the browser to. The callback must have the same `browserToken`
     * and state. Attempts in several tabs share the browser token and differ in their state.
     * @throws SignInError
     */
    async begin(id: string, browserToken: string, next: string | null): Promise<URL> {
      const provider = providerOf(id)
      const [state, codeVerifier, nonce] = [newToken(randomBytes), newToken(randomBytes), newToken(randomBytes)]
      const url = await provider.authorizationUrl({ state, codeVerifier, nonce, redirectUri: callbackUrl(id) })
      const attempt: Attempt = { codeVerifier, nonce, next }
      const hash = hashOf(id, browserToken, state)
      await tickets.issue({ hash, payload: JSON.stringify(attempt), expiresAtMs: now() + SIGN_IN_ATTEMPT_MS })
      return url
    },

    /** Returns the user, and the path to redirect to. @throws SignInError */
    async finish(id: string, callback: AuthorizationCallback): Promise<{ userId: string; next: string | null }> {
      const provider = providerOf(id)
      const { browserToken, state, code, error, issuer } = callback
      const payload = await tickets.redeem(hashOf(id, browserToken ?? '', state ?? ''), now())
      if (payload === null)
        throw new SignInError('attempt_expired', 'this browser has no pending attempt with this state')
      const { codeVerifier, nonce, next } = JSON.parse(payload) as Attempt
      if (error === 'access_denied') throw new SignInError('cancelled', 'the user declined')
      if (code === null) {
        const reason = oauthErrorCode(error) ?? 'no error code'
        throw new SignInError('provider_failed', `the response has no code: ${reason}`)
      }

      const request = { codeVerifier, nonce, redirectUri: callbackUrl(id) }
      const claim = await provider.identify({ code, issuer }, request)
      const { verifiedEmail } = claim
      if (verifiedEmail === null) throw new SignInError('email_unverified', `${id} returned no verified address`)
      const newUser = { id: newId(), plan: planOfNewUser(verifiedEmail, operators), createdAtMs: now() }
      const account = displayNameOf(claim.account, MAX_ACCOUNT_CHARACTERS) ?? claim.subject
      const identity = { ...claim, account, name: displayNameOf(claim.name), verifiedEmail }
      const { decision, user } = await identities.signIn(identity, newUser)
      if (decision.verdict === 'refused') throw new SignInError(decision.problem, 'refused by the account rules')
      await deletedAccounts.restore({ userId: user!.id, email: user!.email, identities: [claim] })
      return { userId: user!.id, next }
    },
  }
}
