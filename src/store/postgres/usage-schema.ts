import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/*
 * The tables of the usage port; nothing else reads or writes them. They have no foreign keys, so that usage can be stored
 * elsewhere than accounts; `archive` deletes the rows of a user.
 */

/** The units of the quota that a user has taken in a calendar month (`2026-11`). */
export const monthlyUsage = pgTable(
  'monthly_usage',
  {
    userId: text('user_id').notNull(),
    month: text().notNull(),
    used: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.month] }), check('monthly_usage_not_negative', sql`${t.used} >= 0`)],
)

/** The requests of a user in one UTC day (`2026-11-20`) with one key, or in the playground. */
export const dailyUsage = pgTable(
  'daily_usage',
  {
    userId: text('user_id').notNull(),
    /** `PLAYGROUND_KEY_ID` for requests without a key: null would not be unique in a primary key. */
    keyId: text('key_id').notNull(),
    day: text().notNull(),
    successes: bigint({ mode: 'number' }).notNull(),
    cacheHits: bigint('cache_hits', { mode: 'number' }).notNull(),
    failures: bigint({ mode: 'number' }).notNull(),
    lastUsedAtMs: bigint('last_used_at', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.keyId, t.day] }), index('daily_usage_day').on(t.day)],
)

/** Units of the quota used by deleted accounts, by keyed hash of the email address and of each identity. */
export const deletedAccountUsage = pgTable(
  'deleted_account_usage',
  {
    personHash: text('person_hash').notNull(),
    month: text().notNull(),
    used: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.personHash, t.month] }), index('deleted_account_usage_month').on(t.month)],
)

/** One row per process that meters usage. */
export const meteringProcesses = pgTable(
  'metering_processes',
  {
    id: text().primaryKey(),
    /** The number of the last applied batch. Batches are applied in order, each exactly once. */
    batch: bigint({ mode: 'number' }).notNull(),
    /** The effect of that batch (`BatchEffect`) as JSON; null when there is nothing to undo. */
    effect: text(),
    /**
     * When the reservations of the process expire; each batch extends it. Uses the clock of the database, because the
     * clocks of processes may differ.
     */
    leasedUntil: timestamp('leased_until', { withTimezone: true }).notNull(),
  },
  (t) => [index('metering_processes_lease').on(t.leasedUntil)],
)

/** Units of the quota that a process has reserved but not settled. They are included in `monthly_usage.used`. */
export const usageReservations = pgTable(
  'usage_reservations',
  {
    processId: text('process_id').notNull(),
    userId: text('user_id').notNull(),
    month: text().notNull(),
    open: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.processId, t.userId, t.month] }), index('usage_reservations_user').on(t.userId)],
)
