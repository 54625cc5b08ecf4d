import * as oauth from 'oauth4webapi'

import { type AuthorizationRequest, type AuthorizationResponse, SignInError } from '../core/accounts/identity.ts'
import { messageOf } from '../core/errors.ts'
import { fetchJson } from './fetch-json.ts'

/** The settings of an OAuth 2.0 authorization code grant with PKCE, which all providers use. */
export interface CodeGrant {
  authorizationEndpoint: URL
  /** The provider's metadata, with at least `issuer` and `token_endpoint`. */
  server: oauth.AuthorizationServer
  client: oauth.Client
  /** How the secret is sent: in the Authorization header, or in the body. */
  authentication: oauth.ClientAuth
}

export async function authorizationUrl(
  { authorizationEndpoint, client }: CodeGrant,
  { state, codeVerifier, redirectUri }: AuthorizationRequest,
  more: { scope: string; nonce?: string },
): Promise<URL> {
  const url = new URL(authorizationEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/**
 * Exchanges the code of a response for tokens. With a nonce there must be an id token. Its claims are validated as
 * OpenID Connect Core 3.1.3.7 requires. Its signature is not checked: rule 6 of that section allows this for a token
 * received directly from the token endpoint over TLS.
 * @throws SignInError `provider_failed`
 */
export async function redeemCode(
  { server, client, authentication }: CodeGrant,
  { code, issuer }: AuthorizationResponse,
  { codeVerifier, redirectUri }: Pick<AuthorizationRequest, 'codeVerifier' | 'redirectUri'>,
  expectedNonce: string | typeof oauth.expectNoNonce,
): Promise<oauth.TokenEndpointResponse> {
  const parameters = new URLSearchParams({ code, ...(issuer !== null && { iss: issuer }) })
  try {
    // The sign-in service has checked the state.
    const callback = oauth.validateAuthResponse(server, client, parameters, oauth.expectNoState)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      callback,
      redirectUri,
      codeVerifier,
      TOKEN_REQUEST,
    )
    return await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce })
  } catch (error) {
    if (error instanceof SignInError) throw error
    // The cause is left out, because errors of the library contain claims and tokens, which must not be logged.
    throw new SignInError('provider_failed', messageOf(error))
  }
}

const TOKEN_REQUEST: oauth.TokenEndpointRequestOptions = {
  // The library has neither a deadline nor a size limit.
  [oauth.customFetch]: async (url, request) => Response.json(await fetchJson(new URL(url), request)),
  // An endpoint that uses http is on this machine.
  [oauth.allowInsecureRequests]: true,
}
