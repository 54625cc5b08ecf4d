import type { Identities, Keys, Sessions, Users } from '../accounts/ports.ts'
import type { Tickets } from '../accounts/tickets.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { RenderedHosts } from '../fetch/render-history.ts'
import type { ResultCache } from '../fetch/result-cache.ts'
import type { RequestLog } from '../usage/request-log.ts'
import type { SharedResults } from '../previews/ports.ts'
import type { UsageAlerts } from '../usage/alerts.ts'
import type { Usage } from '../usage/ports.ts'

/** All stores of an installation. */
export interface Stores {
  users: Users
  identities: Identities
  sessions: Sessions
  tickets: Tickets
  sharedResults: SharedResults
  audit: AuditLog
  keys: Keys
  usage: Usage
  requestLog: RequestLog
  alerts: UsageAlerts
  results: ResultCache
  renderedHosts: RenderedHosts
  /** Reads and writes the database; rejects with a StoreError. */
  ping(): Promise<void>
}
