import * as oauth from 'oauth4webapi'

import { parseExactEmail } from '../core/accounts/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/accounts/identity.ts'
import { fetchJson, textOf, type Json } from './fetch-json.ts'
import { authorizationUrl, type CodeGrant, redeemCode } from './code-grant.ts'
import type { BuiltInProvider } from './built-in-provider.ts'

const GITHUB = 'https://github.com'
const GITHUB_API = 'https://api.github.com'

/** Reading private email addresses requires this scope; the profile requires none. */
const SCOPE = 'user:email'

export const github: BuiltInProvider = {
  name: 'github',
  urlSetting: { variable: 'URL', format: 'origin', defaultUrl: GITHUB },
  create: githubProvider,
}

/**
 * GitHub, or a GitHub Enterprise server, whose API is at `<url>/api/v3`.
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
function githubProvider({ name: id, clientId, clientSecret, url }: ProviderSettings): IdentityProvider {
  const api = url === GITHUB ? GITHUB_API : `${url}/api/v3`
  // The `iss` of GitHub's responses. User ids are small integers, which another product on the host could reuse; the
  // path makes the issuer unique.
  const issuer = `${url}/login/oauth`
  const grant: CodeGrant = {
    authorizationEndpoint: new URL(`${issuer}/authorize`),
    server: { issuer, token_endpoint: `${issuer}/access_token` },
    client: { client_id: clientId },
    authentication: oauth.ClientSecretPost(clientSecret),
  }

  return {
    id,
    issuer,
    label: url === GITHUB ? 'GitHub' : `GitHub (${new URL(url).host})`,

    authorizationUrl: (request) => authorizationUrl(grant, request, { scope: SCOPE }),

    async identify(response, request) {
      const { access_token: token } = await redeemCode(grant, response, request, oauth.expectNoNonce)
      const headers = { authorization: `Bearer ${token}` }
      const [user, emails] = await Promise.all([
        fetchJson(new URL(`${api}/user`), { headers }),
        fetchJson(new URL(`${api}/user/emails?per_page=100`), { headers }),
      ])
      const { id: userId, login } = user
      if (!Number.isSafeInteger(userId) || typeof login !== 'string') {
        throw new SignInError('provider_failed', 'the profile has no id or login')
      }
      return {
        issuer,
        subject: String(userId),
        verifiedEmail: primaryEmail(emails),
        account: login,
        name: textOf(user, 'name'),
      }
    },
  }
}

/** The primary address, if GitHub has verified it; null otherwise. */
function primaryEmail(emails: unknown): string | null {
  if (!Array.isArray(emails)) throw new SignInError('provider_failed', 'the addresses are not a list')
  const primary = (emails as Json[]).find((item) => item?.['primary'] === true && item['verified'] === true)
  const email = primary?.['email']
  return typeof email === 'string' ? parseExactEmail(email) : null
}
