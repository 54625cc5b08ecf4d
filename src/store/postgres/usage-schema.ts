import * as pg from 'drizzle-orm/pg-core'

import { usageTables } from '../sql/usage-tables.ts'
import { postgresColumns } from './columns.ts'

const { table, text, int, primaryKey, index } = postgresColumns

export const { monthlyUsage, dailyUsage, deletedAccountUsage } = usageTables(postgresColumns)

/**
 * One row per process that meters usage. The columns are typed as columns of PostgreSQL, because SQLite has no
 * timestamps.
 */
export const meteringProcesses = pg.pgTable(
  'metering_processes',
  {
    id: pg.text().primaryKey(),
    /** The number of the last applied batch. Batches are applied in order, each exactly once. */
    batch: pg.bigint({ mode: 'number' }).notNull(),
    /** The effect of that batch (`BatchEffect`) as JSON; null when there is nothing to undo. */
    effect: pg.text(),
    /**
     * When the reservations expire, by the clock of the database, because the clocks of processes may differ. Each
     * batch extends the lease.
     */
    leasedUntil: pg.timestamp('leased_until', { withTimezone: true }).notNull(),
  },
  (t) => [pg.index('metering_processes_lease').on(t.leasedUntil)],
)

/** Units of the quota that a process has reserved but not settled. `monthly_usage.used` includes these units. */
export const usageReservations = table(
  'usage_reservations',
  {
    processId: text('process_id').notNull(),
    userId: text('user_id').notNull(),
    month: text().notNull(),
    open: int().notNull(),
  },
  (t) => [primaryKey({ columns: [t.processId, t.userId, t.month] }), index('usage_reservations_user').on(t.userId)],
)
