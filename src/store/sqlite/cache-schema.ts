import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Results by normalized URL, in a separate file. */
export const results = sqliteTable(
  'results',
  {
    cacheKey: text('cache_key').primaryKey(),
    json: text().notNull(),
    storedAtMs: integer('stored_at').notNull(),
    details: text(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)

/**
 * The same table as statements. It has no migrations: a cache of another version is deleted. Increment the version when
 * the table changes.
 */
export const CACHE_VERSION = 2
export const CREATE_CACHE = [
  'CREATE TABLE IF NOT EXISTS results (cache_key text PRIMARY KEY NOT NULL, json text NOT NULL, stored_at integer NOT NULL, details text)',
  'CREATE INDEX IF NOT EXISTS results_age ON results (stored_at)',
  `PRAGMA user_version = ${CACHE_VERSION}`,
]
