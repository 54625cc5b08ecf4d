import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'

import { Provider } from 'oidc-provider'

import { CLIENT, PEOPLE, type Person, accountChooserPage } from './people.ts'

/** A real OpenID Connect provider on a loopback port. */
export interface OidcIssuer extends AsyncDisposable {
  issuer: string
  /** Additional or changed claims, by subject. */
  claims: Map<string, object>
  /** Starts it, with this as the only redirect URI. */
  open(redirectUri: string): void
}

export interface OidcOptions {
  /** Whether the id token has the address, as Google's does, or only the userinfo endpoint. */
  emailIn?: 'id token' | 'userinfo'
}

export async function startOidc({ emailIn = 'id token' }: OidcOptions = {}): Promise<OidcIssuer> {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void
  let handle: Handler = (_, response) => response.writeHead(503).end()
  const listener = createServer((request, response) => handle(request, response))
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`

  const claims = new Map<string, object>()
  return {
    issuer,
    claims,
    open(redirectUri) {
      const provider = new Provider(issuer, configuration(redirectUri, emailIn, claims))
      const callback = provider.callback()
      handle = (request, response) =>
        request.url?.startsWith('/interaction/')
          ? void signIn(provider, request, response)
          : callback(request, response)
    },
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      listener.close()
    },
  }
}

function configuration(redirectUri: string, emailIn: OidcOptions['emailIn'], claims: Map<string, object>) {
  return {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name'] },
    conformIdTokenClaims: emailIn === 'userinfo',
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ ...claimsOf(id), ...claims.get(id) }),
    }),
    // Consent was given before.
    async loadExistingGrant({
      oidc,
    }: {
      oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } }
    }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

function claimsOf(id: string) {
  const person = PEOPLE.find((one) => String(one.id) === id) as Person
  return { sub: id, email: person.email, email_verified: person.isVerified, name: person.name }
}

async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(accountChooserPage(request.url ?? ''))
    return
  }
  let form = ''
  for await (const chunk of request) form += String(chunk)
  const accountId = new URLSearchParams(form).get('person')
  const refusal = { error: 'access_denied', error_description: 'The visitor said no' }
  await provider.interactionFinished(request, response, accountId ? { login: { accountId } } : refusal)
}
