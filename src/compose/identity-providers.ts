import type { Config } from '../config.ts'
import type { IdentityProvider } from '../core/accounts/identity.ts'
import { createProvider } from '../identity/providers.ts'

export function identityProviders({ providers }: Config, now: () => number): IdentityProvider[] {
  return providers.map((settings) => createProvider(settings, now))
}
