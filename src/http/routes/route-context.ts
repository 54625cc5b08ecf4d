import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { KeyRing } from '../../service/accounts/key-ring.ts'
import type { Operators } from '../../service/accounts/operators.ts'
import type { Profiles } from '../../service/accounts/profiles.ts'
import type { SignInLinks } from '../../service/accounts/sign-in-links.ts'
import type { SignInService } from '../../service/accounts/sign-in.ts'
import type { PlaygroundService } from '../../service/lookup/playground.ts'
import type { RequestLogs } from '../../service/usage/request-logs.ts'
import type { UsageAlertService } from '../../service/usage/usage-alerts.ts'
import type { UsageReports } from '../../service/usage/usage-reports.ts'
import type { AdminHealthProps } from '../../../views/admin/health.tsx'
import type { SettingItem } from '../../../views/admin/settings.tsx'
import type { Auth, AuthDeps } from '../session/auth.ts'
import type { Cookies } from '../session/cookies.ts'
import type { Csrf } from '../session/csrf.ts'
import type { SignInSession, SignInSessionDeps } from '../session/sign-in-session.ts'
import type { RequestFacts } from '../server/request-facts.ts'

export interface DashboardServices
  extends Omit<AuthDeps, 'cookies' | 'csrf'>, Pick<SignInSessionDeps, 'signInLimiter' | 'newToken'> {
  signIn: SignInService
  links: SignInLinks
  profiles: Profiles
  keyRing: KeyRing
  operators: Operators
  operatorEmails: readonly string[]
  reports: UsageReports
  requestLogs: RequestLogs
  usageAlerts: UsageAlertService
  playground: PlaygroundService
  settings: CurrentSettings<'plans' | 'allow'>
  /** The variables in effect, with secrets masked. */
  variables: () => readonly SettingItem[]
  /** The state of the server, its last 24 hours, and the requests of each of the last `days` days. */
  health: (days: number) => Promise<Omit<AdminHealthProps, 'frame'>>
  openapi: () => object
  /** The target of upgrade links; null when not configured. */
  upgradeUrl: string | null
  /** The instance secret, for CSRF tokens. */
  secret: Uint8Array
}

/** The context of all dashboard pages. Each page takes only what it needs. */
export interface RouteContext extends DashboardServices, Pick<RequestFacts, 'accessLog' | 'clientOf'> {
  auth: Auth
  cookies: Cookies
  csrf: Csrf
  signInSession: SignInSession
}
