import type { Config } from '../config.ts'
import type { IdentityProvider } from '../core/accounts/identity.ts'
import { createProvider } from '../identity/providers.ts'

/** The configured identity providers. */
export function identityProviders({ providers }: Config, now: () => number): IdentityProvider[] {
  return providers.map((settings) => createProvider(settings, now))
}

/**
 * The email addresses of the operators. Without a provider and without URLMETA_ADMIN_EMAILS it is a fixed local
 * address, for which `serve` prints a sign-in link at its start: only someone with access to the server can create such
 * links.
 */
export function operatorEmails({ adminEmails, providers }: Config): readonly string[] {
  if (adminEmails.length > 0) return adminEmails
  return providers.length === 0 ? [LOCAL_OPERATOR] : []
}

/** `.internal` is reserved for private use, so no mailbox can have this address. */
const LOCAL_OPERATOR = 'operator@urlmeta.internal'
