import type { Identities, Tickets } from '../core/account-ports.ts'
import { type IdentityProvider, SignInError } from '../core/identity.ts'
import { displayNameOf } from '../core/key-name.ts'
import { oauthErrorCode } from '../core/oauth-error.ts'
import { formatToken, hashToken, TOKEN_BYTES } from '../core/token.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'

/** The time to complete a sign-in at the provider. */
export const SIGN_IN_ATTEMPT_MS = 10 * 60_000

/** What a provider calls a person may be an address, and those have at most 254 characters. */
const MAX_ACCOUNT_CHARACTERS = 254

/** A visitor who comes back from a provider. */
export interface AuthorizationResponse {
  /** The cookie that `begin` gave the browser, or that it had before. */
  browserToken: string | null
  state: string | null
  code: string | null
  /** The provider's own word for what went wrong. */
  error: string | null
  /** Where the provider says it answers from (RFC 9207); null when it does not say. */
  issuer: string | null
}

export interface SignInService {
  providers: readonly Pick<IdentityProvider, 'id' | 'issuer' | 'label'>[]
  /**
   * Where to send the browser, which has to bring back `browserToken` beside the state. Attempts in several tabs of one
   * browser share the token, and their states tell them apart.
   * @throws SignInError; AppError `not_found` for a provider that is not set up
   */
  begin(provider: string, browserToken: string, next: string | null): Promise<URL>
  /**
   * Whose account it is, and where the visitor wanted to go.
   * @throws SignInError
   */
  finish(provider: string, answer: AuthorizationResponse): Promise<{ userId: string; next: string | null }>
}

export interface SignInDeps {
  providers: readonly IdentityProvider[]
  identities: Identities
  tickets: Tickets
  deletedAccounts: DeletedAccounts
  /** The address that the provider sends visitors back to: made from the public origin, never from the request. */
  callbackUrl: (provider: string) => string
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

/** What an attempt remembers from its beginning to its end. */
interface Attempt {
  codeVerifier: string
  nonce: string
  next: string | null
}

/** Sign-in by another party: authorization code, PKCE, state and nonce. */
export function createSignIn(deps: SignInDeps): SignInService {
  const { providers, identities, tickets, deletedAccounts, callbackUrl, now, newId, randomBytes } = deps
  const newToken = () => formatToken(randomBytes(TOKEN_BYTES))

  const providerOf = (id: string): IdentityProvider => {
    const provider = providers.find((one) => one.id === id)
    if (!provider) throw new SignInError('provider_failed', `${id} is not set up`)
    return provider
  }

  // The name of the attempt is made of all three: nothing but the same browser that comes back from the same provider
  // with the same state finds it, and it is found once.
  const nameOf = (provider: string, browserToken: string, state: string) =>
    hashToken('attempt', provider, browserToken, state)

  async function redeem(provider: string, { browserToken, state }: AuthorizationResponse): Promise<Attempt> {
    const name = nameOf(provider, browserToken ?? '', state ?? '')
    const payload = await tickets.redeem(name, now())
    if (payload === null)
      throw new SignInError('attempt_expired', 'no attempt with this state under way in this browser')
    return JSON.parse(payload) as Attempt
  }

  return {
    providers: providers.map(({ id, issuer, label }) => ({ id, issuer, label })),

    async begin(id, browserToken, next) {
      const provider = providerOf(id)
      const [state, codeVerifier, nonce] = [newToken(), newToken(), newToken()]
      const url = await provider.authorizationUrl({ state, codeVerifier, nonce, redirectUri: callbackUrl(id) })
      const attempt: Attempt = { codeVerifier, nonce, next }
      const hash = nameOf(id, browserToken, state)
      await tickets.issue({ hash, payload: JSON.stringify(attempt), expiresAtMs: now() + SIGN_IN_ATTEMPT_MS })
      return url
    },

    async finish(id, answer) {
      const provider = providerOf(id)
      const { codeVerifier, nonce, next } = await redeem(id, answer)
      if (answer.error === 'access_denied') throw new SignInError('cancelled', 'the visitor said no')
      const { code, issuer } = answer
      if (code === null) {
        throw new SignInError(
          'provider_failed',
          `no code came back: ${oauthErrorCode(answer.error) ?? 'no error code'}`,
        )
      }

      const request = { codeVerifier, nonce, redirectUri: callbackUrl(id) }
      const claim = await provider.identify({ code, issuer }, request)
      const { verifiedEmail } = claim
      if (verifiedEmail === null) throw new SignInError('email_unverified', `${id} vouches for no address`)
      const newUser = { id: newId(), plan: 'free' as const, createdAtMs: now() }
      const { decision, user } = await identities.signIn(
        {
          ...claim,
          account: displayNameOf(claim.account, MAX_ACCOUNT_CHARACTERS) ?? claim.subject,
          name: displayNameOf(claim.name),
          verifiedEmail,
        },
        newUser,
      )
      if (decision.verdict === 'refused') throw new SignInError(decision.problem, 'refused by the rule of accounts')
      await deletedAccounts.resume({ userId: user!.id, email: user!.email, identities: [claim] })
      return { userId: user!.id, next }
    },
  }
}
