import type { ProviderSettings } from '../core/identity.ts'
import { PROVIDER_KINDS } from '../identity/providers.ts'
import type { ProviderKind } from '../identity/provider-kind.ts'
import type { EnvReader } from './env-reader.ts'
import { issuer, secureOrigin } from './parse-network.ts'
import { identifier, label, secret } from './parse.ts'

/** `URLMETA_OIDC_OKTA_CLIENT_ID` → `OKTA`. */
const OIDC_VARIABLE = /^URLMETA_OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|LABEL)$/

/** Names whose paths `/sign-in/<name>` are taken. */
const RESERVED: readonly string[] = ['link', ...PROVIDER_KINDS.map(({ name }) => name)]

const PLACES = { origin: secureOrigin, issuer }

/** A provider, and the variable that says where it is. */
interface Read {
  provider: ProviderSettings
  placeVariable: string
}

/** The providers that are set up: those with variables of their own, then the OpenID Connect issuers by name. */
export function readProviders(read: EnvReader): readonly ProviderSettings[] {
  const names = read.captured(OIDC_VARIABLE)
  const found = [...PROVIDER_KINDS.map((kind) => readKind(read, kind)), ...names.map((name) => readOidc(read, name))]
  const providers = found.filter((one) => one !== null)
  refuseTwins(read, providers)
  return providers.map(({ provider }) => provider)
}

function readKind(read: EnvReader, { name, place }: ProviderKind): Read | null {
  const prefix = `URLMETA_${name.toUpperCase()}`
  const placeVariable = `${prefix}_${place.variable}`
  const client = readClient(read, prefix)
  const url = read.required(placeVariable, PLACES[place.form], place.fallback)
  // Where it is says nothing without a client.
  requireTogether(read, [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`])
  return client && { provider: { name, ...client, url, label: null }, placeVariable }
}

function readOidc(read: EnvReader, upperCaseName: string): Read | null {
  const prefix = `URLMETA_OIDC_${upperCaseName}`
  const [placeVariable, labelVariable] = [`${prefix}_ISSUER`, `${prefix}_LABEL`]
  const needed = [placeVariable, `${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`]
  const name = upperCaseName.toLowerCase()
  const url = read.optional(placeVariable, issuer)
  const client = readClient(read, prefix)
  const shown = read.optional(labelVariable, label)
  if (RESERVED.includes(name)) {
    const present = [...needed, labelVariable].find((variable) => read.has(variable))!
    read.fault(present, `the name ${upperCaseName} is reserved, choose another`)
    return null
  }
  requireTogether(read, needed, labelVariable)
  return client && url !== null ? { provider: { name, ...client, url, label: shown }, placeVariable } : null
}

/** What an identity provider knows this service by. */
function readClient(read: EnvReader, prefix: string): { clientId: string; clientSecret: string } | null {
  const clientId = read.optional(`${prefix}_CLIENT_ID`, identifier)
  const clientSecret = read.secret(`${prefix}_CLIENT_SECRET`, secret)
  return clientId !== null && clientSecret !== null ? { clientId, clientSecret } : null
}

/** All of the variables or none; one that is set besides asks for them as well. */
function requireTogether(read: EnvReader, names: readonly string[], besides?: string): void {
  const present = [...names, ...(besides === undefined ? [] : [besides])].find((name) => read.has(name))
  if (present === undefined) return
  for (const name of names) if (!read.has(name)) read.fault(name, `missing, because ${present} is set`)
}

/** Identities are known by their issuer: two ways to the same one would be two names for the same people. */
function refuseTwins(read: EnvReader, providers: readonly Read[]): void {
  const variables = new Map<string, string>()
  for (const { provider, placeVariable } of providers) {
    const other = variables.get(provider.url)
    if (other !== undefined) read.fault(placeVariable, `the same as ${other}`)
    variables.set(provider.url, other ?? placeVariable)
  }
}
