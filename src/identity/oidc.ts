import * as oauth from 'oauth4webapi'

import { HOUR_MS } from '../core/duration.ts'
import { parseExactEmail } from '../core/accounts/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/accounts/identity.ts'
import { isSecureUrl } from '../core/net/secure-url.ts'
import { fetchJson, type Json, textOf } from './fetch-json.ts'
import { authorizationUrl, type CodeGrant, redeemCode } from './code-grant.ts'

const SCOPE = 'openid email profile'

/** How long a discovery document is cached: a changed endpoint takes effect within an hour. */
const DISCOVERY_TTL_MS = HOUR_MS

/** The allowed difference between the clocks of provider and server. */
const CLOCK_TOLERANCE_SECONDS = 60

/** OpenID Connect Core, section 2: a subject has at most 255 characters. */
const MAX_SUBJECT_CHARACTERS = 255

/** Longer issuers are truncated in the log. */
const MAX_LOGGED_ISSUER_CHARACTERS = 200

/** Any OpenID Connect issuer that has a discovery document. `now` gives Unix milliseconds. */
export function oidcProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const { name: id, clientId, clientSecret, url: issuer, label } = settings
  let cached: (CodeGrant & { readAtMs: number }) | null = null

  async function discover(): Promise<CodeGrant> {
    if (cached !== null && now() - cached.readAtMs < DISCOVERY_TTL_MS) return cached
    // OpenID Connect Discovery 4.1: a trailing slash is removed before the path is appended.
    const document = await fetchJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
    // Compared exactly, because identities are stored by issuer; the library ignores a trailing slash.
    if (document['issuer'] !== issuer) {
      const other = String(document['issuer']).slice(0, MAX_LOGGED_ISSUER_CHARACTERS)
      throw new SignInError('provider_failed', `the discovery document has the issuer ${other}`)
    }
    const server = await oauth.processDiscoveryResponse(new URL(issuer), Response.json(document))
    requireUsable(server.token_endpoint, issuer)
    const methods = server.token_endpoint_auth_methods_supported
    // Discovery section 3: the default is the header (client_secret_basic).
    const isInBody = Array.isArray(methods) && !methods.includes('client_secret_basic')
    cached = {
      authorizationEndpoint: requireUsable(server.authorization_endpoint, issuer),
      server,
      client: { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authentication: isInBody ? oauth.ClientSecretPost(clientSecret) : secretInHeader(clientSecret),
      readAtMs: now(),
    }
    return cached
  }

  return {
    id,
    issuer,
    label: label ?? labelOf(id),

    async authorizationUrl(request) {
      return authorizationUrl(await discover(), request, { scope: SCOPE, nonce: request.nonce })
    },

    async identify(response, request) {
      const grant = await discover()
      const tokens = await redeemCode(grant, response, request, request.nonce)
      // With a nonce, there is an id token.
      const claims = oauth.getValidatedIdTokenClaims(tokens)!
      checkClaims(claims, clientId)
      const profile = hasEmail(claims) ? claims : await userinfo(grant, tokens.access_token, claims)
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

/** Checks the claims that the library does not check. @throws SignInError `provider_failed` */
function checkClaims({ azp, sub }: oauth.IDToken, clientId: string): void {
  if (azp !== undefined && azp !== clientId) throw new SignInError('provider_failed', 'the id token has another "azp"')
  if (sub === '' || sub.length > MAX_SUBJECT_CHARACTERS)
    throw new SignInError('provider_failed', 'the id token has no usable "sub"')
}

/** Whether the claims have an email address and say whether it is verified. Some id tokens do not say that. */
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

/** Claims that the id token lacks (OpenID Connect Core 5.4). @throws SignInError `provider_failed` */
async function userinfo({ server }: CodeGrant, accessToken: string, { sub }: { sub: string }): Promise<Json> {
  const endpoint = requireUsable(server.userinfo_endpoint, server.issuer)
  const profile = await fetchJson(endpoint, { headers: { authorization: `Bearer ${accessToken}` } })
  // Core 5.3.2: a response about another subject must not be used.
  if (profile['sub'] !== sub) throw new SignInError('provider_failed', 'userinfo has another subject')
  return profile
}

/**
 * An endpoint of the discovery document. http is allowed only on this machine, and only if the issuer itself uses http.
 * @throws SignInError `provider_failed`
 */
function requireUsable(endpoint: string | undefined, issuer: string): URL {
  const url = URL.parse(String(endpoint))
  const isUsable = url !== null && isSecureUrl(url) && (url.protocol === 'https:' || issuer.startsWith('http:'))
  if (!isUsable) throw new SignInError('provider_failed', 'the discovery document lacks a usable endpoint')
  return url
}

/**
 * RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined. Unlike the library's
 * `ClientSecretBasic`, this leaves `-`, `.` and `_` as they are, because some providers do not decode them.
 * https://github.com/panva/oauth4webapi/issues/199
 */
function secretInHeader(clientSecret: string): oauth.ClientAuth {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
  }
}
