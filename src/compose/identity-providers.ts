import type { Config } from '../config.ts'
import type { IdentityProvider } from '../core/identity.ts'
import { createProvider } from '../identity/providers.ts'

/** The providers that are set up. */
export function identityProviders({ providers }: Config, now: () => number): IdentityProvider[] {
  return providers.map((settings) => createProvider(settings, now))
}

/**
 * Whose owners are operators. Without a provider only links made in a shell of this very server let anybody in: then,
 * unless other addresses are named, the one that `serve` makes at its start is for an operator of this name.
 */
export function operatorEmails({ adminEmails, providers }: Config): readonly string[] {
  if (adminEmails.length > 0) return adminEmails
  return providers.length === 0 ? [LOCAL_OPERATOR] : []
}

/** `.internal` is reserved for private use, so this is nobody's address. */
const LOCAL_OPERATOR = 'operator@urlmeta.internal'
