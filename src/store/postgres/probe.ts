import { getTableName, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'

import { reusedCheck } from '../reused-check.ts'
import * as schema from './schema.ts'
import type { Drizzle } from './schema.ts'
import * as usageSchema from './usage-schema.ts'

const TABLES = [...Object.values(schema), ...Object.values(usageSchema)]
  .filter((exported) => is(exported, PgTable))
  .map(getTableName)

const writing = (source: string) => `
  INSERT INTO probe AS p (id, at) SELECT 1, extract(epoch FROM now()) * 1000 ${source}
  ON CONFLICT (id) DO UPDATE SET at = excluded.at`

/** Writes one row. */
export const WRITE_PROBE = writing('')

/** Reads a row of every table and writes one row. */
const PROBE = sql.raw(
  writing(`FROM (SELECT ${TABLES.map((name) => `EXISTS (SELECT 1 FROM ${name})`).join(', ')}) AS found`),
)

/** Checks that the database can be read and written. */
export function postgresProbe(db: Drizzle): () => Promise<void> {
  return reusedCheck(async () => void (await db.execute(PROBE)))
}
