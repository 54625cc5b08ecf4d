import type { Config } from '../config.ts'
import type { IdentityProvider } from '../core/identity.ts'
import { githubProvider } from '../fetch/identity/github.ts'
import { oidcProvider } from '../fetch/identity/oidc.ts'

/** The providers that are set up. */
export function identityProviders({ github, google }: Config, now: () => number): IdentityProvider[] {
  return [...(github ? [githubProvider(github)] : []), ...(google ? [oidcProvider({ ...google, now })] : [])]
}

/**
 * Whose owners are operators. Without a provider only links made in a shell of this very server let anybody in: then,
 * unless other addresses are named, the one that `serve` makes at its start is for an operator of this name.
 */
export function operatorEmails({ adminEmails, github, google }: Config): readonly string[] {
  if (adminEmails.length > 0) return adminEmails
  return github === null && google === null ? [LOCAL_OPERATOR] : []
}

/** `.internal` is reserved for private use, so this is nobody's address. */
const LOCAL_OPERATOR = 'operator@urlmeta.internal'
