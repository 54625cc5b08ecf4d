import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Columns } from '../sqlite/columns.ts'

/** The stored or the inserted value, whichever is higher. */
export function higherOf(column: SQLiteColumn) {
  const inserted = sql`excluded.${sql.identifier(column.name)}`
  return sql`CASE WHEN ${column} < ${inserted} THEN ${inserted} ELSE ${column} END`
}

export type UsageTables = ReturnType<typeof usageTables>

/**
 * The tables of the usage port. Other stores neither read nor write them. They have no foreign keys, so that usage can
 * be stored in another place than accounts; `archive` deletes the rows of a user.
 */
export function usageTables({ table, text, int, time, primaryKey, index, check }: Columns) {
  /** The units of the quota that a user has taken in a calendar month (`2026-11`). */
  const monthlyUsage = table(
    'monthly_usage',
    { userId: text('user_id').notNull(), month: text().notNull(), used: int().notNull() },
    (t) => [primaryKey({ columns: [t.userId, t.month] }), check('monthly_usage_not_negative', sql`${t.used} >= 0`)],
  )

  /** The requests of a user in one UTC day (`2026-11-20`) with one key, or in the playground. */
  const dailyUsage = table(
    'daily_usage',
    {
      userId: text('user_id').notNull(),
      /** `PLAYGROUND_KEY_ID` for requests without a key: null would not be unique in a primary key. */
      keyId: text('key_id').notNull(),
      day: text().notNull(),
      successes: int().notNull(),
      cacheHits: int('cache_hits').notNull(),
      failures: int().notNull(),
      /** 0 if all requests of the day were rejected because the key no longer works. */
      lastUsedAtMs: time('last_used_at').notNull(),
    },
    (t) => [primaryKey({ columns: [t.userId, t.keyId, t.day] }), index('daily_usage_day').on(t.day)],
  )

  /** Units of the quota used by deleted accounts, by keyed hash of the email address and of each identity. */
  const deletedAccountUsage = table(
    'deleted_account_usage',
    { personHash: text('person_hash').notNull(), month: text().notNull(), used: int().notNull() },
    (t) => [primaryKey({ columns: [t.personHash, t.month] }), index('deleted_account_usage_month').on(t.month)],
  )

  return { monthlyUsage, dailyUsage, deletedAccountUsage }
}
