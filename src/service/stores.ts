import type { Identities, Keys, Sessions, Users } from '../core/accounts/ports.ts'
import type { Tickets } from '../core/accounts/tickets.ts'
import type { SharedResults } from '../core/saved-results/ports.ts'
import type { UsageAlerts } from '../core/usage/alerts.ts'
import type { UsageHistory } from '../core/usage/ports.ts'
import type { RequestLog } from '../core/usage/request-log.ts'

/** The stores of accounts and of their usage. Each service takes those that it uses, by these names. */
export interface AccountStores {
  users: Users
  identities: Identities
  sessions: Sessions
  tickets: Tickets
  sharedResults: SharedResults
  keys: Keys
  usage: UsageHistory
  requestLog: RequestLog
  alerts: UsageAlerts
}
