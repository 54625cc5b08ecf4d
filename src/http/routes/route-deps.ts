import type { AllowRule } from '../../core/net/egress.ts'
import type { Plans } from '../../core/plan.ts'
import type { KeyRing } from '../../service/accounts/key-ring.ts'
import type { Operators } from '../../service/accounts/operators.ts'
import type { Profiles } from '../../service/accounts/profiles.ts'
import type { SignInLinks } from '../../service/accounts/sign-in-links.ts'
import type { SignInService } from '../../service/accounts/sign-in.ts'
import type { Statistics } from '../../service/operation/statistics.ts'
import type { ImageProxy } from '../../service/playground/image-proxy.ts'
import type { PlaygroundHistory } from '../../service/playground/playground-history.ts'
import type { PlaygroundService } from '../../service/playground/playground.ts'
import type { PreviewRequests } from '../../service/playground/preview-requests.ts'
import type { SharingService } from '../../service/playground/shared-results.ts'
import type { RequestLogs } from '../../service/usage/request-logs.ts'
import type { ServerUsage } from '../../service/usage/server-usage.ts'
import type { UsageAlertService } from '../../service/usage/usage-alerts.ts'
import type { UsageReports } from '../../service/usage/usage-reports.ts'
import type { AdminHealthProps } from '../../../views/admin/health.tsx'
import type { SettingItem } from '../../../views/admin/settings.tsx'
import type { AccessLog } from '../server/access-log.ts'
import type { ClientOf } from '../server/remote-addresses.ts'
import type { Auth, AuthDeps } from '../session/auth.ts'
import type { SignInSession } from '../session/sign-in-session.ts'

/** The dependencies of the dashboard's pages, and of their authentication. Each page takes only those that it uses. */
export interface RouteDeps extends AuthDeps {
  auth: Auth
  clientOf: ClientOf
  signInSession: SignInSession
  accessLog: AccessLog
  signIn: SignInService
  links: SignInLinks
  profiles: Profiles
  keyRing: KeyRing
  operators: Operators
  reports: UsageReports
  requestLogs: RequestLogs
  alerts: UsageAlertService
  playground: PlaygroundService
  history: PlaygroundHistory
  imageProxy: ImageProxy
  previewRequests: PreviewRequests
  /** Null when sharing is turned off. */
  sharing: SharingService | null
  /** The current state of fetches, Chromium, cache, database, Redis and backups. */
  runtimeStatus: () => Promise<Omit<AdminHealthProps, 'frame' | 'days' | 'day' | 'failuresByReason' | 'failingHosts'>>
  dayReport: Statistics['report']
  serverUsage: ServerUsage
  /** The configuration in effect, with secrets masked. */
  settings: () => readonly SettingItem[]
  plans: Plans
  operatorEmails: readonly string[]
  /** The target of upgrade links; null when not configured. */
  upgradeUrl: string | null
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  openapi: () => object
}
