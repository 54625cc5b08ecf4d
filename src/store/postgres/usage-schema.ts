import { bigint, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

import { usageTables } from '../sql/usage-tables.ts'
import { postgresColumns as columns } from './columns.ts'

export const { monthlyUsage, dailyUsage, deletedAccountUsage } = usageTables(columns)

/** One row per process that meters usage. */
export const meteringProcesses = pgTable(
  'metering_processes',
  {
    id: text().primaryKey(),
    /** The number of the last applied batch. Batches are applied in order, each exactly once. */
    batch: bigint({ mode: 'number' }).notNull(),
    /** The effect of that batch (`BatchEffect`) as JSON; null when there is nothing to undo. */
    effect: text(),
    /** When the reservations expire, by the database's clock, as others may differ. Each batch extends it. */
    leasedUntil: timestamp('leased_until', { withTimezone: true }).notNull(),
  },
  (t) => [index('metering_processes_lease').on(t.leasedUntil)],
)

/** Units of the quota that a process has reserved but not settled. They are included in `monthly_usage.used`. */
export const usageReservations = columns.table(
  'usage_reservations',
  {
    processId: columns.text('process_id').notNull(),
    userId: columns.text('user_id').notNull(),
    month: columns.text().notNull(),
    open: columns.int().notNull(),
  },
  (t) => [
    columns.primaryKey({ columns: [t.processId, t.userId, t.month] }),
    columns.index('usage_reservations_user').on(t.userId),
  ],
)
