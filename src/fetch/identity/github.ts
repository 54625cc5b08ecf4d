import { parseEmail } from '../../core/email.ts'
import { type IdentityProvider, SignInError } from '../../core/identity.ts'
import { askJson, textOf, type Json } from './ask-json.ts'
import { authorizationUrl, type CodeGrant, exchangeCode } from './code-grant.ts'

const GITHUB = 'https://github.com'
const GITHUB_API = 'https://api.github.com'

/** The profile needs no scope; addresses that are not public do. */
const SCOPES = ['user:email']

export interface GithubParts {
  clientId: string
  clientSecret: string
  /** The origin of GitHub, or of a GitHub Enterprise server, whose API is at `<url>/api/v3`. */
  url: string
}

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export function githubProvider({ clientId, clientSecret, url }: GithubParts): IdentityProvider {
  const api = url === GITHUB ? GITHUB_API : `${url}/api/v3`
  const grant: CodeGrant = {
    authorizationEndpoint: new URL(`${url}/login/oauth/authorize`),
    tokenEndpoint: new URL(`${url}/login/oauth/access_token`),
    clientId,
    clientSecret,
    secretIn: 'body',
  }

  return {
    id: 'github',
    label: url === GITHUB ? 'GitHub' : `GitHub (${new URL(url).host})`,

    async authorizationUrl(request) {
      return authorizationUrl(grant, request, SCOPES)
    },

    // There is no issuer to compare with; what keeps answers of other providers out is a callback of its own.
    answersAs: () => true,

    async identify(code, request) {
      const tokens = await exchangeCode(grant, code, request)
      const authorization = `Bearer ${accessTokenOf(tokens)}`
      const [user, emails] = await Promise.all([
        askJson(new URL(`${api}/user`), { authorization }),
        askJson(new URL(`${api}/user/emails?per_page=100`), { authorization }),
      ])
      const { id, login } = user
      if (typeof id !== 'number' || typeof login !== 'string') {
        throw new SignInError('provider_failed', 'the profile has no id or login')
      }
      return {
        provider: 'github',
        subject: String(id),
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
  if (!Array.isArray(emails)) throw new SignInError('provider_failed', 'the addresses are no list')
  const primary = (emails as Json[]).find((entry) => entry?.['primary'] === true && entry['verified'] === true)
  const email = primary?.['email']
  return typeof email === 'string' ? parseEmail(email) : null
}
