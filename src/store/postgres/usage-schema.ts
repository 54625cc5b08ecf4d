import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/*
 * The tables of the usage port, which nothing else reads or writes. They refer to no other table, so that usage can be
 * kept in another database than accounts; `forget` deletes what a foreign key would.
 */

/** Slots of a calendar month (`2026-11`) that a user has taken. */
export const monthlyUsage = pgTable(
  'monthly_usage',
  {
    userId: text('user_id').notNull(),
    month: text().notNull(),
    used: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.month] }), check('monthly_usage_not_negative', sql`${t.used} >= 0`)],
)

/** The requests of one UTC day (`2026-11-20`) that a user made with one key, or in the playground. */
export const dailyUsage = pgTable(
  'daily_usage',
  {
    userId: text('user_id').notNull(),
    /** `PLAYGROUND` for requests without a key: null would not be unique in a primary key. */
    keyId: text('key_id').notNull(),
    day: text().notNull(),
    answers: bigint({ mode: 'number' }).notNull(),
    cacheHits: bigint('cache_hits', { mode: 'number' }).notNull(),
    failures: bigint({ mode: 'number' }).notNull(),
    lastUsedAtMs: bigint('last_used_at', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.keyId, t.day] }), index('daily_usage_day').on(t.day)],
)

/** What a deleted account had used of its month, under keyed hashes of its address and of each of its identities. */
export const deletedAccountUsage = pgTable(
  'deleted_account_usage',
  {
    personHash: text('person_hash').notNull(),
    month: text().notNull(),
    used: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.personHash, t.month] }), index('deleted_account_usage_month').on(t.month)],
)

/** One row for each process that meters usage. */
export const meteringProcesses = pgTable(
  'metering_processes',
  {
    id: text().primaryKey(),
    /** The number of the last batch that was applied: a batch is applied once, and only after the one before it. */
    batch: bigint({ mode: 'number' }).notNull(),
    /** What that batch did, as JSON: `BatchEffect`. Null when there is nothing to undo. */
    effect: text(),
    /**
     * Until then the reservations of the process stand; each batch extends it. By the clock of the database, since those
     * of the processes may differ.
     */
    leasedUntil: timestamp('leased_until', { withTimezone: true }).notNull(),
  },
  (t) => [index('metering_processes_lease').on(t.leasedUntil)],
)

/** Slots that a process has reserved and not settled yet. They are part of `monthly_usage.used`. */
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
