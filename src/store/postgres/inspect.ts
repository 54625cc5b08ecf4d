import { drizzle } from 'drizzle-orm/bun-sql'

import { type SchemaState, schemaStateOf } from './migrations.ts'
import { toStoreError } from './store-error.ts'
import { requireNoUnfinishedMove } from './unfinished-move.ts'

/** The properties of a database that `urlmeta doctor` reports. */
export interface Inspection {
  /** `15.8 (Debian 15.8-0+deb12u1)`, or the version string of a compatible server. */
  version: string
  schema: SchemaState
  /** The median round-trip time. */
  latencyMs: number
}

/** Maximum time to connect, in seconds. */
const CONNECT_SECONDS = 5

/** The server cancels a statement after this time, in milliseconds. Each only reads a few rows. */
const STATEMENT_TIMEOUT_MS = 2_000

/** The connection is closed after this time, in case the server stops responding. In milliseconds. */
const DEADLINE_MS = 10_000

/** The number of round trips measured. */
const ROUND_TRIPS = 11

/** Inspects the database without changing it. @throws StoreError when it cannot be reached or read */
export async function inspectPostgres(url: string): Promise<Inspection> {
  const sql = new Bun.SQL({
    url,
    adapter: 'postgres',
    max: 1,
    connectionTimeout: CONNECT_SECONDS,
    connection: { statement_timeout: STATEMENT_TIMEOUT_MS, application_name: 'urlmeta doctor' },
  })
  const deadline = setTimeout(() => void sql.close({ timeout: 0 }), DEADLINE_MS)
  try {
    const [row] = await sql`SELECT current_setting('server_version') AS version`
    const schema = await schemaStateOf(sql)
    if (schema === 'current') await requireNoUnfinishedMove(drizzle(sql))
    const times: number[] = []
    for (let i = 0; i < ROUND_TRIPS; i++) {
      const startedAtMs = performance.now()
      await sql`SELECT 1`
      times.push(performance.now() - startedAtMs)
    }
    const latencyMs = times.toSorted((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)]!
    return { version: row.version, schema, latencyMs }
  } catch (error) {
    throw toStoreError(error)
  } finally {
    clearTimeout(deadline)
    await sql.close({ timeout: 0 })
  }
}
