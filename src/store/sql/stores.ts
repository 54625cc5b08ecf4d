import { sqlUsageAlerts } from './alerts.ts'
import { sqlAuditLog } from './audit-log.ts'
import type { Dialect } from './dialect.ts'
import { sqlIdentities } from './identities.ts'
import { sqlSessions } from './sessions.ts'
import { sqlSharedResults } from './shared-results.ts'
import type { AccountTables } from './tables.ts'
import { sqlTickets } from './tickets.ts'

/** The stores that need nothing but the dialect, each wrapped by `guard`. */
export const sqlStores = (dialect: Dialect<AccountTables>, guard: <Store extends object>(store: Store) => Store) => ({
  identities: guard(sqlIdentities(dialect)),
  sessions: guard(sqlSessions(dialect)),
  tickets: guard(sqlTickets(dialect)),
  sharedResults: guard(sqlSharedResults(dialect)),
  audit: guard(sqlAuditLog(dialect)),
  alerts: guard(sqlUsageAlerts(dialect)),
})
