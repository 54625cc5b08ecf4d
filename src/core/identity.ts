import { AppError } from './errors.ts'

/** One identity provider as the operator has set it up. */
export interface ProviderSettings {
  /** Its id: `/sign-in/<name>`. */
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  /** Where it is: the issuer of OpenID Connect, or the origin of a GitHub. */
  readonly url: string
  /** For its button; null: a name of the provider's own. */
  readonly label: string | null
}

/** Names a person: a subject is unique at its issuer, and means somebody else at any other one. */
export interface IdentityKey {
  /** The `iss` of OpenID Connect; for a provider without one, a URL that no other provider has. */
  issuer: string
  /** The provider's own id of the person: never reused, whereas addresses and logins are. */
  subject: string
}

/** What a provider says of the person who signed in. */
export interface IdentityClaim extends IdentityKey {
  /** In the form that is stored; null when the provider vouches for no address. */
  verifiedEmail: string | null
  /** What the person is called there: a login, or an address. */
  account: string
  name: string | null
}

/** An attempt to sign in, as the provider has to see it. */
export interface AuthorizationRequest {
  /** Comes back with the answer. */
  state: string
  /** PKCE (RFC 7636): shows at the end that who began is who finishes. */
  codeVerifier: string
  /** Comes back inside the id token of OpenID Connect. */
  nonce: string
  /** Where the provider sends the visitor back to. */
  redirectUri: string
}

/** What the visitor's browser brings back from the provider. */
export interface AuthorizationResponse {
  code: string
  /** The parameter `iss` (RFC 9207); null when there is none. */
  issuer: string | null
}

/** Another party that knows people. */
export interface IdentityProvider {
  /** In paths: `/sign-in/<id>`. */
  readonly id: string
  /** In the key of every identity that it vouches for. */
  readonly issuer: string
  /** As the button says it. */
  readonly label: string
  /** Where the visitor's browser goes to sign in. @throws SignInError `provider_failed` */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>
  /** Turns the response into who it is. @throws SignInError `provider_failed` */
  identify(response: AuthorizationResponse, request: Omit<AuthorizationRequest, 'state'>): Promise<IdentityClaim>
}

/** Why nobody is signed in after an attempt. */
export type SignInProblem =
  /** The visitor said no at the provider. */
  | 'cancelled'
  /** The state is missing, foreign, used or too old. */
  | 'attempt_expired'
  /** The provider's answer was an error, or none that can be trusted. */
  | 'provider_failed'
  /** The provider vouches for no address of this person. */
  | 'email_unverified'
  /** The address belongs to an account that the claim does not open. */
  | 'email_taken'
  /** The one-time link is unknown, used or too old. */
  | 'link_spent'
  | 'suspended'
  | 'too_many_attempts'

/** Nobody is signed in. The visitor is told the problem; `detail` and the cause are for the log. */
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

/** An account as far as joining identities asks for it. */
export interface KnownAccount {
  userId: string
  email: string
  isSuspended: boolean
  /** The verified address of each identity of the account, as of its last sign-in; the claim's own included. */
  identities: readonly (IdentityKey & { email: string })[]
}

/** What a sign-in does. `newEmail` is where the account's address moves to, if it does. */
export type SignInDecision =
  | { verdict: 'known'; userId: string; newEmail: string | null }
  | { verdict: 'joined'; userId: string }
  | { verdict: 'new' }
  | { verdict: 'refused'; problem: 'email_taken' | 'suspended' }

/**
 * Whose account a claim opens. Issuer and subject decide; the address only where they are new. Two issuers lead to one
 * account only when both vouch for its address now, and another subject of an issuer that the account has already is
 * somebody else: an address that changed hands must not open its former owner's account. An account without identities
 * was made by the operator, who vouches for its address.
 */
export function decideSignIn(
  claim: IdentityClaim & { verifiedEmail: string },
  { bySubject, byEmail }: { bySubject: KnownAccount | null; byEmail: KnownAccount | null },
): SignInDecision {
  const account = bySubject ?? byEmail
  if (account === null) return { verdict: 'new' }
  if (account.isSuspended) return { verdict: 'refused', problem: 'suspended' }
  if (bySubject === null) {
    const isTheirs = account.identities.every(
      ({ issuer, email }) => issuer !== claim.issuer && email === claim.verifiedEmail,
    )
    return isTheirs ? { verdict: 'joined', userId: account.userId } : { verdict: 'refused', problem: 'email_taken' }
  }
  const others = bySubject.identities.filter(
    ({ issuer, subject }) => issuer !== claim.issuer || subject !== claim.subject,
  )
  const isStillTheirs = bySubject.email === claim.verifiedEmail || others.some(({ email }) => email === bySubject.email)
  if (isStillTheirs) return { verdict: 'known', userId: bySubject.userId, newEmail: null }
  // Nobody vouches for the account's address any more, so it follows the person, unless another account has the new one.
  if (byEmail !== null) return { verdict: 'refused', problem: 'email_taken' }
  return { verdict: 'known', userId: bySubject.userId, newEmail: claim.verifiedEmail }
}
