import { createCookies } from './session/cookies.ts'
import { createCsrf } from './session/csrf.ts'
import { createAuth } from './session/auth.ts'
import { accountRoutes } from './routes/account.ts'
import { adminInvitationRoutes } from './routes/admin/invitations.ts'
import { adminServerRoutes } from './routes/admin/server.ts'
import { adminUserRoutes } from './routes/admin/users.ts'
import { assetRoutes } from './routes/assets.ts'
import { docsRoutes } from './routes/docs.ts'
import { homeRoutes } from './routes/home.ts'
import { keyRoutes } from './routes/keys.ts'
import { imageRoutes } from './routes/playground/image.ts'
import { playgroundRoutes } from './routes/playground/page.ts'
import { playgroundTagsRoutes } from './routes/playground/tags.ts'
import { sharedRoutes } from './routes/playground/shared.ts'
import { providerRoutes, signInRoutes, signOutRoutes } from './routes/sign-in.ts'
import type { PlaygroundContext, PreviewServices } from './routes/playground/playground-context.ts'
import type { DashboardServices } from './routes/route-context.ts'
import { requestRoutes } from './routes/requests.ts'
import { usageRoutes } from './routes/usage.ts'
import { createSignInSession } from './session/sign-in-session.ts'
import type { RequestFacts } from './server/request-facts.ts'

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
  accountRoutes,
  adminInvitationRoutes,
  adminUserRoutes,
  adminServerRoutes,
]

export function createDashboard(
  services: DashboardServices & PreviewServices,
  facts: Pick<RequestFacts, 'accessLog' | 'clientOf'>,
) {
  const { signIn, baseUrl } = services
  const cookies = createCookies(() => baseUrl().startsWith('https:'))
  const csrf = createCsrf(services)
  const auth = createAuth({ ...services, cookies, csrf })
  const signInSession = createSignInSession({ ...services, ...facts, cookies })
  const context: PlaygroundContext = { ...services, ...facts, auth, cookies, csrf, signInSession }
  return { auth, providers: signIn.providers, routes: ROUTES.map((routes) => routes(context)) }
}
