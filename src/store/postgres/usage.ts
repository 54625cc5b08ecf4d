import type { Usage } from '../../core/usage/ports.ts'
import { sqlDeletedAccountUsage } from '../sql/usage-deleted-accounts.ts'
import { sqlUsageHistory } from '../sql/usage-history.ts'
import { postgresDialect } from './dialect.ts'
import type { Pool } from './pool.ts'
import { postgresMetering } from './usage-metering.ts'
import * as schema from './usage-schema.ts'

/** @param processId identifies the reservations of this process */
export function postgresUsage(pool: Pool, processId: string): Usage {
  const dialect = postgresDialect(pool.db, schema)
  return {
    ...postgresMetering(pool, processId),
    ...pool.guard({
      ...sqlUsageHistory(dialect),
      ...sqlDeletedAccountUsage(dialect, [schema.usageReservations]),
    }),
  }
}
