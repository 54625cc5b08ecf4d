import { CodeChallengeMethod, OAuth2Client } from 'arctic'

import { type AuthorizationRequest, oauthErrorCode, SignInError } from '../core/accounts/identity.ts'
import { fetchJson, type Json, textOf } from './fetch-json.ts'

/** The settings of an OAuth 2.0 authorization code grant with PKCE, which all providers use. */
export interface CodeGrant {
  authorizationEndpoint: URL
  tokenEndpoint: URL
  clientId: string
  clientSecret: string
  /** How the secret is sent: in the Authorization header, or in the body. */
  secretIn: 'header' | 'body'
}

/** The URL to which the browser is redirected to sign in. */
export function authorizationUrl(
  { authorizationEndpoint, clientId }: CodeGrant,
  { state, codeVerifier, redirectUri }: AuthorizationRequest,
  scopes: string[],
): URL {
  return new OAuth2Client(clientId, null, redirectUri).createAuthorizationURLWithPKCE(
    authorizationEndpoint.href,
    state,
    CodeChallengeMethod.S256,
    codeVerifier,
    scopes,
  )
}

/**
 * Exchanges the code for tokens, which `tokenIn` reads. The request is not sent by arctic, which has neither a timeout
 * nor a size limit.
 * @throws SignInError `provider_failed`
 */
export async function exchangeCode(
  { tokenEndpoint, clientId, clientSecret, secretIn }: CodeGrant,
  code: string,
  { codeVerifier, redirectUri }: Pick<AuthorizationRequest, 'codeVerifier' | 'redirectUri'>,
): Promise<Json> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUri,
  })
  if (secretIn === 'body') {
    body.set('client_id', clientId)
    body.set('client_secret', clientSecret)
  }
  const authorization = secretIn === 'header' ? { authorization: basic(clientId, clientSecret) } : {}
  const response = await fetchJson(tokenEndpoint, { body, ...authorization })
  // GitHub returns errors with status 200.
  const error = textOf(response, 'error')
  if (error !== null) {
    throw new SignInError('provider_failed', `the code was rejected: ${oauthErrorCode(error) ?? 'unknown error code'}`)
  }
  return response
}

/** A token of the response. @throws SignInError `provider_failed` */
export function tokenIn(response: Json, name: 'access_token' | 'id_token'): string {
  const token = textOf(response, name)
  if (token === null) throw new SignInError('provider_failed', `the response has no ${name}`)
  return token
}

/** RFC 6749 section 2.3.1: both parts are form-encoded before they are joined. */
function basic(clientId: string, clientSecret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`
}
