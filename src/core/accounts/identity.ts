import { AppError } from '../errors.ts'

export interface ProviderSettings {
  /** Part of the path `/sign-in/<name>`. */
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  /** The OpenID Connect issuer, or the origin of GitHub. */
  readonly url: string
  /** The label of the sign-in button; null uses the provider's default. */
  readonly label: string | null
}

/** Identifies a user at a provider: a subject is unique only within its issuer. */
export interface IdentityKey {
  /** The `iss` of OpenID Connect; for other providers, a URL that is unique to the provider. */
  issuer: string
  /** The provider's permanent user id. Unlike addresses and logins it is never reused. */
  subject: string
}

export interface IdentityClaim extends IdentityKey {
  /** In stored form; null when the provider has not verified an address. */
  verifiedEmail: string | null
  /** The login or email address at the provider. */
  account: string
  name: string | null
}

export interface AuthorizationRequest {
  /** Sent back unchanged with the provider's response. */
  state: string
  /** PKCE (RFC 7636): proves that the code is redeemed by the client that started the sign-in. */
  codeVerifier: string
  /** Returned in the id token of OpenID Connect. */
  nonce: string
  redirectUri: string
}

/** The parameters of a successful authorization response. */
export interface AuthorizationResponse {
  code: string
  /** The parameter `iss` (RFC 9207); null when absent. */
  issuer: string | null
}

export interface IdentityProvider {
  /** Part of the path `/sign-in/<id>`. */
  readonly id: string
  /** The `issuer` of the claims that `identify` returns. */
  readonly issuer: string
  /** The name on the sign-in button. */
  readonly label: string
  /** The URL to which the browser is redirected to sign in. @throws SignInError `provider_failed` */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>
  /** Exchanges the response for claims about the user. @throws SignInError `provider_failed` */
  identify(response: AuthorizationResponse, request: Omit<AuthorizationRequest, 'state'>): Promise<IdentityClaim>
}

export type SignInProblem =
  /** The user declined at the provider. */
  | 'cancelled'
  /** The state is missing, already used or expired, or belongs to another browser. */
  | 'attempt_expired'
  /** The provider returned an error or an invalid response. */
  | 'provider_failed'
  /** The provider has not verified the user's address. */
  | 'email_unverified'
  /** The address belongs to an account that this identity cannot sign in to. */
  | 'email_taken'
  /** The one-time link is unknown, already used or expired. */
  | 'link_invalid'
  /** The invitation is unknown, already used, expired or revoked, or the invited account exists. */
  | 'invitation_invalid'
  | 'suspended'
  | 'too_many_attempts'

/** `problem` is shown to the user; `detail` and the cause are only logged. */
export class SignInError extends AppError {
  override name = 'SignInError'
  constructor(
    readonly problem: SignInProblem,
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super('sign_in_failed', 'Sign-in failed', options)
  }
}

/** The codes of RFC 6749, OpenID Connect and GitHub look like `invalid_grant` and have up to about 40 letters. */
const ERROR_CODE = /^[a-z_]{1,64}$/

/** An OAuth `error` that is safe to log; null for anything but a code, because other text can contain secrets. */
export function oauthErrorCode(error: unknown): string | null {
  return typeof error === 'string' && ERROR_CODE.test(error) ? error : null
}

/** The part of an account that `decideSignIn` reads. */
export interface KnownAccount {
  userId: string
  email: string
  isSuspended: boolean
  /** All identities of the account, each with its verified address at its last sign-in. */
  identities: readonly (IdentityKey & { email: string })[]
  /** Identities that the owner of the account has removed. */
  removed: readonly IdentityKey[]
}

/** The outcome of a sign-in. `newEmail` is the account's new address, or null when it stays the same. */
export type SignInDecision =
  | { verdict: 'known'; userId: string; newEmail: string | null }
  | { verdict: 'joined'; userId: string }
  | { verdict: 'new' }
  | { verdict: 'refused'; problem: 'email_taken' | 'suspended' }

/**
 * Decides which account an identity signs in to. A known issuer and subject sign in to their account. A new identity
 * is added to the account with its address only if all identities of that account have the same verified address, and
 * the account neither has nor had another subject of the same issuer. Another subject is another person, and a
 * reassigned address must not give access to its former owner's account. Accounts without identities were created by
 * an operator, who is trusted to have verified the address.
 */
export function decideSignIn(
  claim: IdentityClaim & { verifiedEmail: string },
  { bySubject, byEmail }: { bySubject: KnownAccount | null; byEmail: KnownAccount | null },
): SignInDecision {
  const account = bySubject ?? byEmail
  if (account === null) return { verdict: 'new' }
  if (account.isSuspended) return { verdict: 'refused', problem: 'suspended' }
  if (bySubject === null) {
    const canJoin =
      account.identities.every(({ issuer, email }) => issuer !== claim.issuer && email === claim.verifiedEmail) &&
      account.removed.every(({ issuer, subject }) => issuer !== claim.issuer || subject === claim.subject)
    return canJoin ? { verdict: 'joined', userId: account.userId } : { verdict: 'refused', problem: 'email_taken' }
  }
  const others = bySubject.identities.filter(
    ({ issuer, subject }) => issuer !== claim.issuer || subject !== claim.subject,
  )
  const isEmailCurrent =
    bySubject.email === claim.verifiedEmail || others.some(({ email }) => email === bySubject.email)
  if (isEmailCurrent) return { verdict: 'known', userId: bySubject.userId, newEmail: null }
  // No identity has the address of the account any more. The new address replaces it, unless another account has the
  // new address.
  if (byEmail !== null) return { verdict: 'refused', problem: 'email_taken' }
  return { verdict: 'known', userId: bySubject.userId, newEmail: claim.verifiedEmail }
}
