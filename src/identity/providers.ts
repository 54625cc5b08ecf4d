import type { IdentityProvider, ProviderSettings } from '../core/accounts/identity.ts'
import { github } from './github.ts'
import { google } from './google.ts'
import { oidcProvider } from './oidc.ts'
import type { BuiltInProvider } from './built-in-provider.ts'

/** The built-in providers. Other OpenID Connect issuers are configured by URLMETA_OIDC_<NAME>_… variables. */
export const BUILT_IN_PROVIDERS: readonly BuiltInProvider[] = [github, google]

/** `now` gives Unix milliseconds. */
export function createProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const builtIn = BUILT_IN_PROVIDERS.find(({ name }) => name === settings.name)
  return builtIn === undefined ? oidcProvider(settings, now) : builtIn.create(settings, now)
}
