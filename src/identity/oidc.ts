import { HOUR_MS } from '../core/duration.ts'
import { parseExactEmail } from '../core/accounts/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/accounts/identity.ts'
import { isSecureUrl } from '../core/net/secure-url.ts'
import { fetchJson, type Json, textOf } from './fetch-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode, tokenIn } from './code-grant.ts'
import { readIdToken } from './id-token.ts'

const SCOPES = ['openid', 'email', 'profile']

/** How long a discovery document is cached: a changed endpoint takes effect within an hour. */
const DISCOVERY_TTL_MS = HOUR_MS

/** Longer issuers are truncated in the log. */
const MAX_LOGGED_ISSUER_CHARACTERS = 200

interface Discovery {
  grant: CodeGrant
  userinfoEndpoint: URL | null
  /** Whether every authorization response names the issuer (RFC 9207 section 3). */
  sendsIssuer: boolean
  readAtMs: number
}

/** Any OpenID Connect issuer that has a discovery document. `now` gives Unix milliseconds. */
export function oidcProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const { name: id, clientId, clientSecret, url: issuer, label } = settings
  let cached: Discovery | null = null

  async function discover(): Promise<Discovery> {
    if (cached !== null && now() - cached.readAtMs < DISCOVERY_TTL_MS) return cached
    // OpenID Connect Discovery 4.1: a trailing slash is removed before the path is appended.
    const document = await fetchJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
    if (document['issuer'] !== issuer) {
      const other = String(document['issuer']).slice(0, MAX_LOGGED_ISSUER_CHARACTERS)
      throw new SignInError('provider_failed', `the discovery document has the issuer ${other}`)
    }
    const endpoint = (name: string) => endpointOf(document, name, issuer)
    const methods = document['token_endpoint_auth_methods_supported']
    cached = {
      grant: {
        authorizationEndpoint: required(endpoint('authorization_endpoint')),
        tokenEndpoint: required(endpoint('token_endpoint')),
        clientId,
        clientSecret,
        // Discovery section 3: the default is the header (client_secret_basic).
        secretIn: Array.isArray(methods) && !methods.includes('client_secret_basic') ? 'body' : 'header',
      },
      userinfoEndpoint: endpoint('userinfo_endpoint'),
      sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
      readAtMs: now(),
    }
    return cached
  }

  return {
    id,
    issuer,
    label: label ?? labelOf(id),

    async authorizationUrl(request) {
      const { grant } = await discover()
      const url = authorizationUrl(grant, request, SCOPES)
      url.searchParams.set('nonce', request.nonce)
      return url
    },

    async identify(response, request) {
      const { grant, userinfoEndpoint, sendsIssuer } = await discover()
      checkIssuer(response.issuer, issuer, sendsIssuer)
      const tokens = await exchangeCode(grant, response.code, request)
      const [idToken, accessToken] = [tokenIn(tokens, 'id_token'), tokenIn(tokens, 'access_token')]
      const claims = readIdToken(idToken, { issuer, clientId, nonce: request.nonce, nowMs: now() })
      const profile = hasEmail(claims) ? claims : await userinfo(userinfoEndpoint, accessToken, claims)
      const email = parseExactEmail(textOf(profile, 'email') ?? '')
      return {
        issuer,
        subject: claims.sub,
        verifiedEmail: isVerified(profile) ? email : null,
        account: email ?? claims.sub,
        name: textOf(profile, 'name'),
      }
    },
  }
}

/** Whether the claims have an address and whether it is verified. Some id tokens lack the latter. */
const hasEmail = (claims: Json): boolean => 'email' in claims && ('email_verified' in claims || 'xms_edov' in claims)

/**
 * Whether the issuer has verified the address. `email_verified` must be the boolean true; the string "true" is
 * rejected. Entra sends `xms_edov` ("email domain owner verified") instead, as a boolean, 1 or "1"; it is used only
 * when `email_verified` is absent.
 */
function isVerified(profile: Json): boolean {
  if ('email_verified' in profile) return profile['email_verified'] === true
  return [true, 1, '1'].includes(profile['xms_edov'] as never)
}

/** `my_company` → `My company`. */
const labelOf = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** Rejects a response of another issuer (RFC 9207 section 2.4), whose code must not be sent to this token endpoint. */
function checkIssuer(actual: string | null, issuer: string, isRequired: boolean): void {
  if (actual === null && isRequired) throw new SignInError('provider_failed', 'the response has no issuer')
  if (actual !== null && actual !== issuer) throw new SignInError('provider_failed', 'the response has another issuer')
}

/** Claims that the id token lacks (OpenID Connect Core 5.4). @throws SignInError `provider_failed` */
async function userinfo(endpoint: URL | null, accessToken: string, claims: { sub: string }): Promise<Json> {
  const profile = await fetchJson(required(endpoint), { authorization: `Bearer ${accessToken}` })
  // Core 5.3.2: a response about another subject must not be used.
  if (profile['sub'] !== claims.sub) throw new SignInError('provider_failed', 'userinfo has another subject')
  return profile
}

/** An endpoint of the document. http is allowed only on this machine, and only if the issuer itself uses http. */
function endpointOf(document: Json, name: string, issuer: string): URL | null {
  const url = URL.parse(textOf(document, name) ?? '')
  if (url === null || !isSecureUrl(url)) return null
  return url.protocol === 'https:' || issuer.startsWith('http:') ? url : null
}

function required(endpoint: URL | null): URL {
  if (endpoint === null) throw new SignInError('provider_failed', 'the discovery document lacks a usable endpoint')
  return endpoint
}
