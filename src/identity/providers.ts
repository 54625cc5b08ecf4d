import type { IdentityProvider, ProviderSettings } from '../core/identity.ts'
import { github } from './github.ts'
import { google } from './google.ts'
import { oidcProvider } from './oidc.ts'
import type { ProviderKind } from './provider-kind.ts'

/** The built-in providers. Other OpenID Connect issuers are configured by URLMETA_OIDC_<NAME>_… variables. */
export const PROVIDER_KINDS: readonly ProviderKind[] = [github, google]

/** `now` gives Unix milliseconds. */
export function createProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const kind = PROVIDER_KINDS.find(({ name }) => name === settings.name)
  return kind === undefined ? oidcProvider(settings, now) : kind.create(settings, now)
}
