import type { IdentityProvider, ProviderSettings } from '../core/accounts/identity.ts'

/** A built-in provider, configured by URLMETA_<NAME>_CLIENT_ID, URLMETA_<NAME>_CLIENT_SECRET and a URL. */
export interface BuiltInProvider {
  /** Lower case: `/sign-in/<name>`. */
  readonly name: string
  /** The variable URLMETA_<NAME>_<variable> with the provider's URL, and its default. */
  readonly urlSetting: {
    readonly variable: string
    readonly format: 'origin' | 'issuer'
    readonly defaultUrl: string
  }
  create(settings: ProviderSettings, now: () => number): IdentityProvider
}
