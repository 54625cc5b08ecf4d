import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { PLAN_NAMES } from '../../core/plan.ts'

/** An open database, or a transaction in it. */
export type Drizzle = BunSQLiteDatabase

// Times are Unix milliseconds; ids are UUIDs.

export const users = sqliteTable('users', {
  id: text().primaryKey(),
  email: text().notNull().unique(),
  plan: text({ enum: PLAN_NAMES }).notNull(),
  createdAtMs: integer('created_at').notNull(),
})

/** A person as an identity provider knows them; one user may have several. */
export const identities = sqliteTable(
  'identities',
  {
    provider: text().notNull(),
    subject: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.provider, t.subject] }), index('identities_user').on(t.userId)],
)

/** Signed-in browsers. Only the SHA-256 of the cookie's token is kept. */
export const sessions = sqliteTable(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: integer('created_at').notNull(),
    expiresAtMs: integer('expires_at').notNull(),
  },
  (t) => [index('sessions_user').on(t.userId), index('sessions_expiry').on(t.expiresAtMs)],
)

/** Only the SHA-256 of a key is kept, and its last four characters to tell keys apart. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull().unique(),
    lastFour: text('last_four').notNull(),
    createdAtMs: integer('created_at').notNull(),
    lastUsedAtMs: integer('last_used_at'),
    deactivatedAtMs: integer('deactivated_at'),
  },
  (t) => [index('api_keys_user').on(t.userId)],
)

/** Slots of a calendar month (`2026-11`) that a user has taken. */
export const monthlyUsage = sqliteTable(
  'monthly_usage',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    month: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.month] }), check('monthly_usage_not_negative', sql`${t.used} >= 0`)],
)

/** A key's requests of one UTC day (`2026-11-20`). */
export const dailyUsage = sqliteTable(
  'daily_usage',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    day: text().notNull(),
    answers: integer().notNull(),
    cacheHits: integer('cache_hits').notNull(),
    failures: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.keyId, t.day] })],
)

/** Finished answers by normalized URL: the 24-hour cache. */
export const results = sqliteTable(
  'results',
  {
    cacheKey: text('cache_key').primaryKey(),
    json: text().notNull(),
    storedAtMs: integer('stored_at').notNull(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)
