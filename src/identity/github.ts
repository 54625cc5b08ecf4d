import { parseExactEmail } from '../core/accounts/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/accounts/identity.ts'
import { fetchJson, textOf, type Json } from './fetch-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode, tokenIn } from './code-grant.ts'
import type { BuiltInProvider } from './built-in-provider.ts'

const GITHUB = 'https://github.com'
const GITHUB_API = 'https://api.github.com'

/** Reading private email addresses requires this scope; the profile requires none. */
const SCOPES = ['user:email']

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
  const grant: CodeGrant = {
    authorizationEndpoint: new URL(`${url}/login/oauth/authorize`),
    tokenEndpoint: new URL(`${url}/login/oauth/access_token`),
    clientId,
    clientSecret,
    secretIn: 'body',
  }
  // User ids are small integers, which another product on the host could reuse; the path makes the issuer unique.
  const issuer = `${url}/login/oauth`

  return {
    id,
    issuer,
    label: url === GITHUB ? 'GitHub' : `GitHub (${new URL(url).host})`,

    async authorizationUrl(request) {
      return authorizationUrl(grant, request, SCOPES)
    },

    // GitHub sends no `iss` parameter. The separate callback path protects against responses of other providers.
    async identify({ code }, request) {
      const tokens = await exchangeCode(grant, code, request)
      const authorization = `Bearer ${tokenIn(tokens, 'access_token')}`
      const [user, emails] = await Promise.all([
        fetchJson(new URL(`${api}/user`), { authorization }),
        fetchJson(new URL(`${api}/user/emails?per_page=100`), { authorization }),
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
