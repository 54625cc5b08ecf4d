import { accountTables } from '../sql/tables.ts'
import { sqliteColumns } from './columns.ts'

export const {
  users,
  identities,
  removedIdentities,
  sessions,
  tickets,
  sharedResults,
  apiKeys,
  keyOrigins,
  requestLog,
  alertWebhooks,
  usageAlerts,
  auditLog,
  probe,
} = accountTables(sqliteColumns)
