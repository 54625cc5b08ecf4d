import type { Usage } from '../../core/usage-ports.ts'
import type { Drizzle } from '../sql/tables.ts'
import { sqliteDeletedAccountUsage } from './usage-deleted-accounts.ts'
import { sqliteUsageHistory } from './usage-history.ts'
import { sqliteMetering } from './usage-metering.ts'

export function sqliteUsage(db: Drizzle): Usage {
  return { ...sqliteMetering(db), ...sqliteUsageHistory(db), ...sqliteDeletedAccountUsage(db) }
}
