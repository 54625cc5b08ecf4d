import type { ProviderSettings } from '../core/accounts/identity.ts'
import { BUILT_IN_PROVIDERS } from '../identity/providers.ts'
import type { BuiltInProvider } from '../identity/built-in-provider.ts'
import type { EnvReader } from './env-reader.ts'
import { issuer, secureOrigin } from './parse-network.ts'
import { identifier, label, secret } from './parse.ts'

/** `URLMETA_OIDC_OKTA_CLIENT_ID` → `OKTA`. */
const OIDC_VARIABLE = /^URLMETA_OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|LABEL)$/

/** Names that cannot be used, because `/sign-in/<name>` already exists. */
const RESERVED: readonly string[] = ['link', ...BUILT_IN_PROVIDERS.map(({ name }) => name)]

const URL_PARSERS = { origin: secureOrigin, issuer }

interface ConfiguredProvider {
  provider: ProviderSettings
  urlVariable: string
}

/** The configured providers: GitHub and Google, then the OpenID Connect issuers by name. */
export function readProviders(read: EnvReader): readonly ProviderSettings[] {
  const names = read.captured(OIDC_VARIABLE)
  const candidates = [
    ...BUILT_IN_PROVIDERS.map((provider) => readBuiltIn(read, provider)),
    ...names.map((name) => readOidc(read, name)),
  ]
  const providers = candidates.filter((candidate) => candidate !== null)
  rejectDuplicates(read, providers)
  return providers.map(({ provider }) => provider)
}

function readBuiltIn(read: EnvReader, { name, urlSetting }: BuiltInProvider): ConfiguredProvider | null {
  const prefix = `URLMETA_${name.toUpperCase()}`
  const urlVariable = `${prefix}_${urlSetting.variable}`
  const client = readClient(read, prefix)
  const url = read.required(urlVariable, URL_PARSERS[urlSetting.format], urlSetting.defaultUrl)
  // The URL alone does not enable the provider.
  requireTogether(read, [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`])
  return client && { provider: { name, ...client, url, label: null }, urlVariable }
}

function readOidc(read: EnvReader, upperCaseName: string): ConfiguredProvider | null {
  const prefix = `URLMETA_OIDC_${upperCaseName}`
  const [urlVariable, labelVariable] = [`${prefix}_ISSUER`, `${prefix}_LABEL`]
  const needed = [urlVariable, `${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`]
  const name = upperCaseName.toLowerCase()
  const url = read.optional(urlVariable, issuer)
  const client = readClient(read, prefix)
  const labelText = read.optional(labelVariable, label)
  if (RESERVED.includes(name)) {
    const present = [...needed, labelVariable].find((variable) => read.has(variable))!
    read.addError(present, `the name ${upperCaseName} is reserved, choose another`)
    return null
  }
  requireTogether(read, needed, labelVariable)
  return client && url !== null ? { provider: { name, ...client, url, label: labelText }, urlVariable } : null
}

/** The OAuth client id and secret; null unless both are set. */
function readClient(read: EnvReader, prefix: string): { clientId: string; clientSecret: string } | null {
  const clientId = read.optional(`${prefix}_CLIENT_ID`, identifier)
  const clientSecret = read.secret(`${prefix}_CLIENT_SECRET`, secret)
  return clientId !== null && clientSecret !== null ? { clientId, clientSecret } : null
}

/** Requires all of the variables if any of them, or `optional`, is set. */
function requireTogether(read: EnvReader, names: readonly string[], optional?: string): void {
  const present = [...names, ...(optional === undefined ? [] : [optional])].find((name) => read.has(name))
  if (present === undefined) return
  for (const name of names) if (!read.has(name)) read.addError(name, `missing, because ${present} is set`)
}

/** Rejects two providers with the same URL: identities are stored by issuer, so they would share accounts. */
function rejectDuplicates(read: EnvReader, providers: readonly ConfiguredProvider[]): void {
  const variables = new Map<string, string>()
  for (const { provider, urlVariable } of providers) {
    const first = variables.getOrInsert(provider.url, urlVariable)
    if (first !== urlVariable) read.addError(urlVariable, `the same as ${first}`)
  }
}
