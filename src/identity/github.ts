import { parseEmail } from '../core/email.ts'
import { type IdentityProvider, type ProviderSettings, SignInError } from '../core/identity.ts'
import { askJson, textOf, type Json } from './ask-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode } from './code-grant.ts'
import type { ProviderKind } from './provider-kind.ts'

const GITHUB = 'https://github.com'
const GITHUB_API = 'https://api.github.com'

/** The profile needs no scope; addresses that are not public do. */
const SCOPES = ['user:email']

export const github: ProviderKind = {
  name: 'github',
  place: { variable: 'URL', form: 'origin', fallback: GITHUB },
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
  // GitHub counts people from 1, as others do that may move to the same host later: the path keeps their issuers apart.
  const issuer = `${url}/login/oauth`

  return {
    id,
    issuer,
    label: url === GITHUB ? 'GitHub' : `GitHub (${new URL(url).host})`,

    async authorizationUrl(request) {
      return authorizationUrl(grant, request, SCOPES)
    },

    // GitHub promises no `iss` to compare; what keeps responses of other providers out is a callback of its own.
    async identify({ code }, request) {
      const tokens = await exchangeCode(grant, code, request)
      const authorization = `Bearer ${accessTokenOf(tokens)}`
      const [user, emails] = await Promise.all([
        askJson(new URL(`${api}/user`), { authorization }),
        askJson(new URL(`${api}/user/emails?per_page=100`), { authorization }),
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

function accessTokenOf(tokens: { accessToken(): string }): string {
  try {
    return tokens.accessToken()
  } catch (cause) {
    throw new SignInError('provider_failed', 'no access token came', { cause })
  }
}

/** The primary address, if GitHub has seen that mail sent there arrives. */
function primaryEmail(emails: unknown): string | null {
  if (!Array.isArray(emails)) throw new SignInError('provider_failed', 'the addresses are not a list')
  const primary = (emails as Json[]).find((entry) => entry?.['primary'] === true && entry['verified'] === true)
  const email = primary?.['email']
  return typeof email === 'string' ? parseEmail(email) : null
}
