import { getTableName, sql } from 'drizzle-orm'

import { reusedCheck } from '../reused-check.ts'
import { type Drizzle, tables } from './schema.ts'
import * as usageTables from './usage-schema.ts'

/**
 * Requests and sign-in do not need these tables. A lock on one of them, for example by VACUUM FULL, must not fail the
 * probe.
 */
const { requestLog, alertWebhooks, usageAlerts, auditLog } = tables
const SECONDARY: readonly string[] = [requestLog, alertWebhooks, usageAlerts, auditLog].map(getTableName)

const TABLES = Object.values({ ...tables, ...usageTables })
  .map((table) => getTableName(table))
  .filter((name) => !SECONDARY.includes(name))

const writing = (source: string) => `
  INSERT INTO probe AS p (id, at) SELECT 1, extract(epoch FROM now()) * 1000 ${source}
  ON CONFLICT (id) DO UPDATE SET at = excluded.at`

export const WRITE_PROBE = writing('')

/**
 * Reads the first page of every table that requests need, and writes one row. Finding a row instead would read all
 * pages before the row, including pages of deleted rows. The result of each read is used, because PostgreSQL skips a
 * table whose result is not used.
 */
const PROBE = sql.raw(
  writing(
    `WHERE cardinality(ARRAY[${TABLES.map((name) => `EXISTS (SELECT FROM ${name} WHERE ctid = '(0,1)')`).join(', ')}]) > 0`,
  ),
)

export function postgresProbe(db: Drizzle): () => Promise<void> {
  return reusedCheck(async () => void (await db.execute(PROBE)))
}
