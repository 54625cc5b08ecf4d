import { getTableName, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'

import * as schema from './schema.ts'
import type { Drizzle } from './schema.ts'
import * as usageSchema from './usage-schema.ts'

/** `/readyz` is open to everybody: within this time all are told what the last look said. */
const REMEMBERED_MS = 1_000

const TABLES = [...Object.values(schema), ...Object.values(usageSchema)]
  .filter((exported) => is(exported, PgTable))
  .map(getTableName)

/** A row of every table is read, and one is written. */
const LOOK = sql.raw(`
  INSERT INTO probe AS p (id, at)
  SELECT 1, extract(epoch FROM now()) * 1000 FROM (SELECT ${TABLES.map((name) => `EXISTS (SELECT 1 FROM ${name})`).join(', ')}) AS found
  ON CONFLICT (id) DO UPDATE SET at = excluded.at`)

/** A look at whether the database can be read and written. */
export function postgresProbe(db: Drizzle): () => Promise<void> {
  let last: { atMs: number; result: Promise<void> } = { atMs: Number.NEGATIVE_INFINITY, result: Promise.resolve() }

  return () => {
    const nowMs = performance.now()
    if (nowMs - last.atMs >= REMEMBERED_MS) {
      last = { atMs: nowMs, result: look() }
      // Each caller gets the rejection itself.
      last.result.catch(() => {})
    }
    return last.result
  }

  async function look() {
    await db.execute(LOOK)
  }
}
