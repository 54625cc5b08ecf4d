import { createCookies } from './session/cookies.ts'
import { createCsrf } from './session/csrf.ts'
import { createAuth } from './session/auth.ts'
import { accountRoutes } from './routes/account.ts'
import { adminInvitationRoutes } from './routes/admin/invitations.ts'
import { adminServerRoutes } from './routes/admin/server.ts'
import { adminUserRoutes } from './routes/admin/users.ts'
import { assetRoutes } from './routes/assets.ts'
import { cardRoutes } from './routes/card.ts'
import { docsRoutes } from './routes/docs.ts'
import { homeRoutes } from './routes/home.ts'
import { keyRoutes } from './routes/keys.ts'
import { imageRoutes } from './routes/playground/image.ts'
import { playgroundRoutes } from './routes/playground/page.ts'
import { playgroundTagsRoutes } from './routes/playground/tags.ts'
import { sharedRoutes } from './routes/playground/shared.ts'
import { providerRoutes, signInRoutes, signOutRoutes } from './routes/sign-in.ts'
import type { RouteDeps } from './routes/route-deps.ts'
import { requestRoutes } from './routes/requests.ts'
import { usageRoutes } from './routes/usage.ts'
import { createSignInSession, type SignInSessionDeps } from './session/sign-in-session.ts'

/** The pages of the dashboard. */
const ROUTES = [
  assetRoutes,
  homeRoutes,
  signInRoutes,
  providerRoutes,
  signOutRoutes,
  keyRoutes,
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
type Created = 'auth' | 'cookies' | 'csrf' | 'signInSession'

/** The dependencies that the server creates. */
type CreatedByServer = Pick<RouteDeps & SignInSessionDeps, 'accessLog' | 'peerOf' | 'clientOf'>

export interface DashboardDeps extends Omit<RouteDeps & SignInSessionDeps, Created | keyof CreatedByServer> {
  /** The instance secret, for CSRF tokens. */
  secret: Uint8Array
}

/** Authentication and all pages of the dashboard. */
export function createDashboard(deps: DashboardDeps, created: CreatedByServer) {
  const { signIn, baseUrl, secret } = deps
  const cookies = createCookies(() => baseUrl().startsWith('https:'))
  const csrf = createCsrf({ secret, baseUrl })
  const auth = createAuth({ ...deps, cookies, csrf })
  const signInSession = createSignInSession({ ...deps, ...created, cookies })
  const routeDeps = { ...deps, ...created, auth, cookies, csrf, signInSession }
  return { auth, providers: signIn.providers, routes: ROUTES.map((routes) => routes(routeDeps)) }
}
