import type { IdentityProvider, ProviderSettings } from '../core/identity.ts'

/** A provider with variables of its own: URLMETA_<NAME>_CLIENT_ID, URLMETA_<NAME>_CLIENT_SECRET and a place. */
export interface ProviderKind {
  /** Lower case: `/sign-in/<name>`. */
  readonly name: string
  /** The variable URLMETA_<NAME>_<VARIABLE> that says where the provider is, and its value when it is not set. */
  readonly place: { readonly variable: string; readonly form: 'origin' | 'issuer'; readonly fallback: string }
  create(settings: ProviderSettings, now: () => number): IdentityProvider
}
