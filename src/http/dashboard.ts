import { Elysia } from 'elysia'

import type { AddressRange } from '../core/net/address.ts'
import type { AllowRule } from '../core/net/egress.ts'
import type { Plans } from '../core/plan.ts'
import type { RateLimiter } from '../core/usage/rate-limiter.ts'
import type { KeyRing } from '../service/accounts/key-ring.ts'
import type { Operators } from '../service/accounts/operators.ts'
import type { ImageProxy } from '../service/playground/image-proxy.ts'
import type { PlaygroundHistory } from '../service/playground/playground-history.ts'
import type { PlaygroundService } from '../service/playground/playground.ts'
import type { PreviewRequests } from '../service/playground/preview-requests.ts'
import type { Profiles } from '../service/accounts/profiles.ts'
import type { RequestLogs } from '../service/usage/request-logs.ts'
import type { SessionService } from '../service/accounts/sessions.ts'
import type { SignInLinks } from '../service/accounts/sign-in-links.ts'
import type { SignInService } from '../service/accounts/sign-in.ts'
import type { ServerUsage } from '../service/usage/server-usage.ts'
import type { DayReport } from '../service/usage/statistics.ts'
import type { UsageAlertService } from '../service/usage/usage-alerts.ts'
import type { UsageReports } from '../service/usage/usage-reports.ts'
import type { IncomingBodies } from './server/incoming-bodies.ts'
import { createCookies } from './session/cookies.ts'
import { createCsrf } from './session/csrf.ts'
import { createAuth } from './session/auth.ts'
import type { AccessLog } from './server/access-log.ts'
import { accountAlertRoutes } from './routes/account/alerts.ts'
import { accountExportRoutes } from './routes/account/export.ts'
import { accountIdentityRoutes } from './routes/account/identities.ts'
import { accountRoutes } from './routes/account/page.ts'
import { accountSessionRoutes } from './routes/account/sessions.ts'
import { createShowAccount } from './routes/account/show.tsx'
import { adminActionRoutes } from './routes/admin/actions.ts'
import { adminAuditRoutes } from './routes/admin/audit.tsx'
import { adminHealthRoutes, type RuntimeStatus } from './routes/admin/health.tsx'
import { adminSettingsRoutes, type AdminSettingsRouteDeps } from './routes/admin/settings.tsx'
import { adminUserRoutes } from './routes/admin/user.tsx'
import { adminUsersRoutes } from './routes/admin/users.tsx'
import { assetRoutes } from './routes/assets.ts'
import { docsRoutes } from './routes/docs.tsx'
import { homeRoutes } from './routes/home.tsx'
import { keyPageRoutes } from './routes/key.tsx'
import { keyRoutes } from './routes/keys.tsx'
import { imageRoutes } from './routes/image.ts'
import { playgroundRoutes } from './routes/playground.tsx'
import { playgroundTagsRoutes } from './routes/playground-tags.ts'
import { linkRoutes } from './routes/sign-in/link.tsx'
import { signInPageRoutes } from './routes/sign-in/page.tsx'
import { providerRoutes } from './routes/sign-in/provider.ts'
import { signOutRoutes } from './routes/sign-in/sign-out.ts'
import { requestRoutes } from './routes/requests.tsx'
import { usageRoutes } from './routes/usage.tsx'
import { createSignInSession } from './session/sign-in-session.ts'

export interface DashboardDeps {
  sessions: SessionService
  signIn: SignInService
  links: SignInLinks
  keyRing: KeyRing
  reports: UsageReports
  requestLogs: RequestLogs
  alerts: UsageAlertService
  profiles: Profiles
  operators: Operators
  playground: PlaygroundService
  history: PlaygroundHistory
  imageProxy: ImageProxy
  previewRequests: PreviewRequests
  runtimeStatus: () => Promise<RuntimeStatus>
  /** The last 24 hours. */
  report: () => DayReport
  serverUsage: ServerUsage
  settings: AdminSettingsRouteDeps['settings']
  /** Counts sign-in requests by client network. */
  signInLimiter: RateLimiter
  /** The instance secret, for CSRF tokens. */
  secret: Uint8Array
  newToken: () => string
  plans: Plans
  /** The target of upgrade links; null when not configured. */
  upgradeUrl: string | null
  /** Email addresses of the operators. */
  operatorEmails: readonly string[]
  trustedProxies: readonly AddressRange[]
  /** Called once, when an untrusted peer sends X-Forwarded-For. */
  onForwardedByUntrusted: () => void
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  openapi: () => object
  incomingBodies: IncomingBodies
  /** The public origin. */
  baseUrl: () => string
  version: string
  /** Unix milliseconds. */
  now: () => number
}

/** Authentication and all pages of the dashboard. */
export function createDashboard(deps: DashboardDeps) {
  const { sessions, signIn, plans, operatorEmails, incomingBodies, baseUrl, secret, version, now } = deps
  const cookies = createCookies(() => baseUrl().startsWith('https:'))
  const csrf = createCsrf({ secret, baseUrl })
  const auth = createAuth({ sessions, cookies, csrf, incomingBodies, baseUrl, version, now })
  const signInSession = createSignInSession({ ...deps, limiter: deps.signInLimiter, cookies })
  const showAccount = createShowAccount(deps)
  const routeDeps = { ...deps, auth, cookies, csrf, signInSession, showAccount, rules: { plans, operatorEmails } }

  return {
    auth,
    providers: signIn.providers,
    routes: ({ accessLog }: { accessLog: AccessLog }) =>
      new Elysia()
        .use(assetRoutes())
        .use(homeRoutes(routeDeps))
        .use(signInPageRoutes(routeDeps))
        .use(linkRoutes(routeDeps))
        .use(providerRoutes(routeDeps))
        .use(signOutRoutes(routeDeps))
        .use(keyRoutes({ ...routeDeps, accessLog }))
        .use(keyPageRoutes({ ...routeDeps, accessLog }))
        .use(usageRoutes(routeDeps))
        .use(requestRoutes(routeDeps))
        .use(playgroundRoutes({ ...routeDeps, accessLog }))
        .use(playgroundTagsRoutes(routeDeps))
        .use(imageRoutes(routeDeps))
        .use(docsRoutes(routeDeps))
        .use(accountRoutes(routeDeps))
        .use(accountAlertRoutes({ ...routeDeps, accessLog }))
        .use(accountExportRoutes(routeDeps))
        .use(accountIdentityRoutes(routeDeps))
        .use(accountSessionRoutes(routeDeps))
        .use(adminUsersRoutes({ ...routeDeps, accessLog }))
        .use(adminUserRoutes(routeDeps))
        .use(adminActionRoutes(routeDeps))
        .use(adminHealthRoutes(routeDeps))
        .use(adminAuditRoutes(routeDeps))
        .use(adminSettingsRoutes(routeDeps)),
  }
}
