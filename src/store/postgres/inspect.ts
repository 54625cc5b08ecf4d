import { drizzle } from 'drizzle-orm/bun-sql'

import { type SchemaState, schemaStateOf } from './migrations.ts'
import { toStoreError } from './store-error.ts'
import { requireNoUnfinishedMove } from './unfinished-move.ts'

/** What a database is like, seen from here. */
export interface Inspection {
  /** `15.8 (Debian 15.8-0+deb12u1)`, or what another server says of itself. */
  version: string
  schema: SchemaState
  /** The median time of a round trip. */
  latencyMs: number
}

/** How long connecting may take, in seconds. */
const CONNECT_SECONDS = 5

/** The server ends a statement that takes longer, in milliseconds: each only reads a few rows. */
const STATEMENT_TIMEOUT_MS = 2_000

/** After this time the connection is closed, for a server that has stopped answering. In milliseconds. */
const DEADLINE_MS = 10_000

/** Round trips whose median is taken. */
const ROUND_TRIPS = 11

/** Looks at the database and changes nothing. @throws StoreError when it cannot be reached or read */
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
