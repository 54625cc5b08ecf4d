import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'

import { cacheTables } from '../sql/cache-tables.ts'
import { accountTables } from '../sql/tables.ts'
import { postgresColumns } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<PgQueryResultHKT>

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

/** All tables except usage. */
export const tables = { ...accountTables(postgresColumns), ...cacheTables(postgresColumns), results }
