import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'

import { accountTables, cacheTables } from '../sql/tables.ts'
import { postgresColumns } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<PgQueryResultHKT>

export const {
  users,
  identities,
  removedIdentities,
  sessions,
  tickets,
  apiKeys,
  requestLog,
  alertWebhooks,
  usageAlerts,
  auditLog,
  probe,
} = accountTables(postgresColumns)

export const { renderedHosts } = cacheTables(postgresColumns)

/** The progress of `urlmeta move` into this database, one row per table. Kept after the move is complete. */
export const movedTables = pgTable('moved_tables', {
  tableName: text('table_name').primaryKey(),
  /** The same in every row and in the record of the move in the data directory. */
  moveId: text('move_id').notNull(),
  /** Rows copied so far. */
  rows: bigint({ mode: 'number' }).notNull(),
  /** The primary key of the last copied row, as a JSON array; null before the first. */
  lastKey: text('last_key'),
  /** Null until all tables are verified; a server refuses to start before that. */
  checksum: text(),
})

/** Finished responses by normalized URL. */
export const results = pgTable(
  'results',
  {
    /** The SHA-256 of the URL in lower-case hex, because a URL can exceed the size limit of an index entry. */
    keyHash: text('key_hash').primaryKey(),
    json: text().notNull(),
    details: text(),
    storedAtMs: bigint('stored_at', { mode: 'number' }).notNull(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)
