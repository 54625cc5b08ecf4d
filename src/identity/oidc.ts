import type { OAuth2Tokens } from 'arctic'

import { parseEmail } from '../core/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/identity.ts'
import { isSecureUrl } from '../core/secure-url.ts'
import { askJson, type Json, textOf } from './ask-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode } from './code-grant.ts'
import { readIdToken } from './id-token.ts'

const SCOPES = ['openid', 'email', 'profile']

/** Endpoints hardly ever move; an hour is how long the service may be wrong about one that did. */
const DISCOVERY_TTL_MS = 60 * 60_000

/** An issuer in the log: long enough to see what differs from the configured one. */
const MAX_LOGGED_ISSUER_CHARACTERS = 200

interface Discovered {
  grant: CodeGrant
  userinfoEndpoint: URL | null
  /** Whether every authorization response names the issuer (RFC 9207 section 3). */
  namesItself: boolean
  readAtMs: number
}

/** Any OpenID Connect issuer that has a discovery document. `now` gives Unix milliseconds. */
export function oidcProvider(settings: ProviderSettings, now: () => number): IdentityProvider {
  const { name: id, clientId, clientSecret, url: issuer, label } = settings
  let known: Discovered | null = null

  async function discover(): Promise<Discovered> {
    if (known !== null && now() - known.readAtMs < DISCOVERY_TTL_MS) return known
    // OpenID Connect Discovery 4.1: a trailing slash goes before the path is added.
    const document = await askJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
    if (document['issuer'] !== issuer) {
      const other = String(document['issuer']).slice(0, MAX_LOGGED_ISSUER_CHARACTERS)
      throw new SignInError('provider_failed', `the discovery document is of ${other}`)
    }
    const endpoint = (name: string) => endpointOf(document, name, issuer)
    const methods = document['token_endpoint_auth_methods_supported']
    known = {
      grant: {
        authorizationEndpoint: required(endpoint('authorization_endpoint')),
        tokenEndpoint: required(endpoint('token_endpoint')),
        clientId,
        clientSecret,
        // Discovery section 3: the header is what an issuer that says nothing means.
        secretIn: Array.isArray(methods) && !methods.includes('client_secret_basic') ? 'body' : 'header',
      },
      userinfoEndpoint: endpoint('userinfo_endpoint'),
      namesItself: document['authorization_response_iss_parameter_supported'] === true,
      readAtMs: now(),
    }
    return known
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
      const { grant, userinfoEndpoint, namesItself } = await discover()
      checkIssuer(response.issuer, issuer, namesItself)
      const tokens = await exchangeCode(grant, response.code, request)
      const { idToken, accessToken } = tokensOf(tokens)
      const claims = readIdToken(idToken, { issuer, clientId, nonce: request.nonce, nowMs: now() })
      const person = tellsAddress(claims) ? claims : await userinfo(userinfoEndpoint, accessToken, claims)
      const email = parseEmail(textOf(person, 'email') ?? '')
      return {
        issuer,
        subject: claims.sub,
        verifiedEmail: isVerified(person) ? email : null,
        account: email ?? claims.sub,
        name: textOf(person, 'name'),
      }
    },
  }
}

/** Some id tokens have the address alone; whether it is verified is then told at the userinfo endpoint, with it. */
function tellsAddress(claims: Json): boolean {
  return 'email' in claims && ('email_verified' in claims || 'xms_edov' in claims)
}

/**
 * Whether the issuer vouches for the address. Some write "true": whoever is not exact here is not trusted either. Entra
 * has `xms_edov` instead, "email domain owner verified", a Boolean that some of its tokens write as 1; it counts only
 * where `email_verified` says nothing.
 */
function isVerified(person: Json): boolean {
  if ('email_verified' in person) return person['email_verified'] === true
  return [true, 1, '1'].includes(person['xms_edov'] as never)
}

/** `my_company` → `My company`. */
function labelOf(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/**
 * Refuses a response of another issuer (RFC 9207 section 2.4): its code must not be sent to this one's token endpoint.
 * @throws SignInError `provider_failed`
 */
function checkIssuer(named: string | null, issuer: string, isPromised: boolean): void {
  if (named === null && isPromised) throw new SignInError('provider_failed', 'the response names no issuer')
  if (named !== null && named !== issuer) throw new SignInError('provider_failed', 'the response is of another issuer')
}

/**
 * What an issuer does not put into the id token it tells at its userinfo endpoint (OpenID Connect Core 5.4).
 * @throws SignInError `provider_failed`
 */
async function userinfo(endpoint: URL | null, accessToken: string, claims: { sub: string }): Promise<Json> {
  const person = await askJson(required(endpoint), { authorization: `Bearer ${accessToken}` })
  // Core 5.3.2: an answer about another subject must not be used.
  if (person['sub'] !== claims.sub) throw new SignInError('provider_failed', 'userinfo is about somebody else')
  return person
}

/** An endpoint of the document, if it is as safe as its issuer: only one on this machine may lead to http, and there. */
function endpointOf(document: Json, name: string, issuer: string): URL | null {
  const url = URL.parse(textOf(document, name) ?? '')
  if (url === null || !isSecureUrl(url)) return null
  return url.protocol === 'https:' || issuer.startsWith('http:') ? url : null
}

function required(endpoint: URL | null): URL {
  if (endpoint === null) throw new SignInError('provider_failed', 'the discovery document lacks a usable endpoint')
  return endpoint
}

function tokensOf(tokens: OAuth2Tokens): { idToken: string; accessToken: string } {
  try {
    return { idToken: tokens.idToken(), accessToken: tokens.accessToken() }
  } catch (cause) {
    throw new SignInError('provider_failed', 'tokens are missing', { cause })
  }
}
