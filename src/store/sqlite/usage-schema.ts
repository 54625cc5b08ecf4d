import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/*
 * The tables of the usage port, which nothing else reads or writes. They refer to no other table, so that usage can be
 * kept in another store than accounts; `forget` deletes what a foreign key would.
 */

/** Slots of a calendar month (`2026-11`) that a user has taken. */
export const monthlyUsage = sqliteTable(
  'monthly_usage',
  {
    userId: text('user_id').notNull(),
    month: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.month] }), check('monthly_usage_not_negative', sql`${t.used} >= 0`)],
)

/** The requests of one UTC day (`2026-11-20`) that a user made with one key, or in the playground. */
export const dailyUsage = sqliteTable(
  'daily_usage',
  {
    userId: text('user_id').notNull(),
    /** `PLAYGROUND` for requests without a key: null would not be unique in a primary key. */
    keyId: text('key_id').notNull(),
    day: text().notNull(),
    answers: integer().notNull(),
    cacheHits: integer('cache_hits').notNull(),
    failures: integer().notNull(),
    lastUsedAtMs: integer('last_used_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.keyId, t.day] }), index('daily_usage_day').on(t.day)],
)

/** The `key_id` of requests that were made without a key. */
export const PLAYGROUND = ''

/** What a deleted account had used of its month, under keyed hashes of its address and of each of its identities. */
export const deletedAccountUsage = sqliteTable(
  'deleted_account_usage',
  {
    personHash: text('person_hash').notNull(),
    month: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.personHash, t.month] }), index('deleted_account_usage_month').on(t.month)],
)
