import type { IdentityProvider, ProviderSettings } from '../core/accounts/identity.ts'
import { github } from './github.ts'
import { oidcProvider } from './oidc.ts'
import type { BuiltInProvider } from './built-in-provider.ts'

const GOOGLE = 'https://accounts.google.com'

/** https://developers.google.com/identity/openid-connect/openid-connect */
const google: BuiltInProvider = {
  name: 'google',
  urlSetting: { variable: 'ISSUER', format: 'issuer', defaultUrl: GOOGLE },
  create: (settings, now) =>
    oidcProvider({ ...settings, label: settings.url === GOOGLE ? 'Google' : new URL(settings.url).host }, now),
}

/** The built-in providers. Other OpenID Connect issuers are configured by URLMETA_OIDC_<NAME>_… variables. */
export const BUILT_IN_PROVIDERS: readonly BuiltInProvider[] = [github, google]

/** `now` gives Unix milliseconds. */
export function createProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const builtIn = BUILT_IN_PROVIDERS.find(({ name }) => name === settings.name)
  return builtIn === undefined ? oidcProvider(settings, now) : builtIn.create(settings, now)
}
