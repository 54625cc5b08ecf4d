import type { Usage } from '../../core/usage/ports.ts'
import { sqlDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
import { sqlUsageHistory } from '../sql/usage-history.ts'
import { sqliteDialect } from './dialect.ts'
import { type DrizzleDatabase, sqliteMetering } from './usage-metering.ts'
import * as schema from './usage-schema.ts'

export function sqliteUsage(db: DrizzleDatabase): Usage {
  const dialect = sqliteDialect(db, schema)
  return { ...sqliteMetering(db), ...sqlUsageHistory(dialect), ...sqlDeletedAccountUsage(dialect) }
}
