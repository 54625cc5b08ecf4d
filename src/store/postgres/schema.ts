import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'

import { cacheTables } from '../sql/cache-tables.ts'
import { accountTables } from '../sql/tables.ts'
import { postgresColumns } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<PgQueryResultHKT>

export const {
  users,
  identities,
  removedIdentities,
  sessions,
  tickets,
  sharedResults,
  apiKeys,
  keyOrigins,
  requestLog,
  alertWebhooks,
  usageAlerts,
  auditLog,
  probe,
} = accountTables(postgresColumns)

export const { renderedHosts } = cacheTables(postgresColumns)

/** Finished responses by normalized URL. */
export const results = pgTable(
  'results',
  {
    /** See `hashedCacheKey`; in lower-case hex. A URL can exceed the size limit of an index entry. */
    keyHash: text('key_hash').primaryKey(),
    json: text().notNull(),
    details: text(),
    storedAtMs: bigint('stored_at', { mode: 'number' }).notNull(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)
