import type { RateLimiter } from '../core/usage/rate-limiter.ts'
import { createCookies } from './session/cookies.ts'
import { createCsrf } from './session/csrf.ts'
import { createAuth } from './session/auth.ts'
import type { ClientOf } from './server/remote-addresses.ts'
import type { AccessLog } from './server/access-log.ts'
import { accountRoutes } from './routes/account.tsx'
import { adminInvitationRoutes } from './routes/admin/invitations.tsx'
import { adminServerRoutes } from './routes/admin/server.tsx'
import { adminUserRoutes } from './routes/admin/users.tsx'
import { assetRoutes } from './routes/assets.ts'
import { cardRoutes } from './routes/card.tsx'
import { docsRoutes } from './routes/docs.tsx'
import { homeRoutes } from './routes/home.tsx'
import { keyPageRoutes } from './routes/key.tsx'
import { keyRoutes } from './routes/keys.tsx'
import { imageRoutes } from './routes/playground/image.ts'
import { playgroundRoutes } from './routes/playground/page.tsx'
import { playgroundTagsRoutes } from './routes/playground/tags.ts'
import { sharedRoutes } from './routes/playground/shared.tsx'
import { linkRoutes } from './routes/sign-in/link.tsx'
import { signInPageRoutes, signOutRoutes } from './routes/sign-in/page.tsx'
import { providerRoutes } from './routes/sign-in/provider.ts'
import type { RouteDeps } from './routes/route-deps.ts'
import { requestRoutes } from './routes/requests.tsx'
import { usageRoutes } from './routes/usage.tsx'
import { createSignInSession, type SignInSessionDeps } from './session/sign-in-session.ts'

/** The pages of the dashboard. */
const ROUTES = [
  assetRoutes,
  homeRoutes,
  signInPageRoutes,
  linkRoutes,
  providerRoutes,
  signOutRoutes,
  keyRoutes,
  keyPageRoutes,
  usageRoutes,
  requestRoutes,
  playgroundRoutes,
  playgroundTagsRoutes,
  sharedRoutes,
  imageRoutes,
  docsRoutes,
  cardRoutes,
  accountRoutes,
  adminInvitationRoutes,
  adminUserRoutes,
  adminServerRoutes,
]

/** The dependencies that `createDashboard` creates for the pages. */
type Created = 'auth' | 'cookies' | 'csrf' | 'signInSession' | 'rules' | 'accessLog' | 'clientOf'

export interface DashboardDeps extends Omit<RouteDeps & Omit<SignInSessionDeps, 'limiter'>, Created> {
  /** Counts sign-in requests by client network. */
  signInLimiter: RateLimiter
  /** The instance secret, for CSRF tokens. */
  secret: Uint8Array
  operatorEmails: readonly string[]
}

/** Authentication and all pages of the dashboard. */
export function createDashboard(deps: DashboardDeps, accessLog: AccessLog, clientOf: ClientOf) {
  const { signIn, plans, operatorEmails, baseUrl, secret } = deps
  const cookies = createCookies(() => baseUrl().startsWith('https:'))
  const csrf = createCsrf({ secret, baseUrl })
  const auth = createAuth({ ...deps, cookies, csrf })
  const signInSession = createSignInSession({ ...deps, limiter: deps.signInLimiter, cookies })
  const rules = { plans, operatorEmails }
  const routeDeps = { ...deps, auth, cookies, csrf, signInSession, rules, accessLog, clientOf }
  return { auth, providers: signIn.providers, routes: ROUTES.map((routes) => routes(routeDeps)) }
}
