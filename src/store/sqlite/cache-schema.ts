import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Finished answers by normalized URL: the 24-hour cache, in a file of its own. */
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
 * The same as statements: a cache needs no migrations, since one of another version is thrown away. The number is that
 * of the version; a change of the table takes the next one.
 */
export const CACHE_VERSION = 2
export const CREATE_CACHE = [
  'CREATE TABLE IF NOT EXISTS results (cache_key text PRIMARY KEY NOT NULL, json text NOT NULL, stored_at integer NOT NULL, details text)',
  'CREATE INDEX IF NOT EXISTS results_age ON results (stored_at)',
  `PRAGMA user_version = ${CACHE_VERSION}`,
]
