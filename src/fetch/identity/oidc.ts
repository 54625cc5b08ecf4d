import type { OAuth2Tokens } from 'arctic'

import { parseEmail } from '../../core/email.ts'
import { type IdentityProvider, SignInError } from '../../core/identity.ts'
import { askJson, type Json, textOf } from './ask-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode } from './code-grant.ts'
import { readIdToken } from './id-token.ts'

const GOOGLE = 'https://accounts.google.com'

const SCOPES = ['openid', 'email', 'profile']

/** Endpoints hardly ever move; an hour is how long the service may be wrong about one that did. */
const DISCOVERY_TTL_MS = 60 * 60_000

export interface OidcParts {
  clientId: string
  clientSecret: string
  /** Compared with what the provider says of itself character by character. */
  issuer: string
  /** Unix milliseconds. */
  now: () => number
}

interface Discovered {
  grant: CodeGrant
  userinfoEndpoint: URL | null
  readAtMs: number
}

/** Google, or any other issuer of OpenID Connect that has a discovery document. */
export function oidcProvider({ clientId, clientSecret, issuer, now }: OidcParts): IdentityProvider {
  let known: Discovered | null = null

  async function discover(): Promise<Discovered> {
    if (known !== null && now() - known.readAtMs < DISCOVERY_TTL_MS) return known
    // OpenID Connect Discovery 4.1: a trailing slash goes before the path is added.
    const document = await askJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
    if (document['issuer'] !== issuer) {
      throw new SignInError('provider_failed', `the discovery document is of ${String(document['issuer'])}`)
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
      readAtMs: now(),
    }
    return known
  }

  return {
    id: 'google',
    label: issuer === GOOGLE ? 'Google' : new URL(issuer).host,

    async authorizationUrl(request) {
      const { grant } = await discover()
      const url = authorizationUrl(grant, request, SCOPES)
      url.searchParams.set('nonce', request.nonce)
      return url
    },

    answersAs: (named) => named === null || named === issuer,

    async identify(code, request) {
      const { grant, userinfoEndpoint } = await discover()
      const tokens = await exchangeCode(grant, code, request)
      const { idToken, accessToken } = tokensOf(tokens)
      const claims = readIdToken(idToken, { issuer, clientId, nonce: request.nonce, nowMs: now() })
      const person = 'email' in claims ? claims : await userinfo(userinfoEndpoint, accessToken, claims)
      const email = parseEmail(textOf(person, 'email') ?? '')
      return {
        provider: 'google',
        subject: claims.sub,
        // Some issuers write "true": whoever is not exact here is not trusted either.
        verifiedEmail: person['email_verified'] === true ? email : null,
        account: email ?? claims.sub,
        name: textOf(person, 'name'),
      }
    },
  }
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

/** An endpoint of the document; a secure issuer must not lead to an insecure one. */
function endpointOf(document: Json, name: string, issuer: string): URL | null {
  const url = URL.parse(textOf(document, name) ?? '')
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && issuer.startsWith('http:'))
  return isSafe ? url : null
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
