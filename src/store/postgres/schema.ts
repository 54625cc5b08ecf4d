import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql'
import type { PgDatabase } from 'drizzle-orm/pg-core'

import { cacheTables } from '../sql/cache-tables.ts'
import { accountTables } from '../sql/tables.ts'
import { postgresColumns } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<BunSQLQueryResultHKT>

const { table, text, time, index } = postgresColumns

const results = table(
  'results',
  {
    /** The `hashedCacheKey` in lower-case hex, because a URL can exceed the size limit of an index entry. */
    keyHash: text('key_hash').primaryKey(),
    json: text().notNull(),
    storedAtMs: time('stored_at').notNull(),
    details: text(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)

/** All tables except usage. */
export const tables = { ...accountTables(postgresColumns), results, ...cacheTables(postgresColumns) }
