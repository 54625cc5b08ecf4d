import { StoreError } from '../../core/store-fault.ts'
import { within } from '../deadline.ts'
import { schemaStateOf } from './migrations.ts'
import { openSession, type Session } from './session.ts'
import { toStoreError } from './store-error.ts'

/** The properties of a database that `urlmeta doctor` reports. */
export type Inspection = Awaited<ReturnType<typeof inspect>>

/** Each statement has half of this time, so that the server's reason is reported. */
const DEADLINE_MS = 10_000

const ROUND_TRIPS = 11

/** Inspects the database without changing it. @throws StoreError when it cannot be reached or read */
export async function inspectPostgres(url: string, deadlineMs = DEADLINE_MS) {
  const deadlines = { callMs: deadlineMs, statementMs: deadlineMs / 2 }
  try {
    await using session = await openSession(url, 'urlmeta doctor', deadlines)
    return await within(deadlineMs, inspect(session))
  } catch (error) {
    throw toStoreError(error)
  }
}

async function inspect({ sql, isReadOnly }: Session) {
  const [row] = await sql`
    SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only,
      current_setting('statement_timeout') AS statement_timeout`
  if (row.read_only === 'on') throw new StoreError(isReadOnly ? 'read_only_user' : 'standby')
  const schema = await schemaStateOf(sql)
  const times: number[] = []
  let clockAheadMs = 0
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const startedAtMs = performance.now()
    const [{ at }] = await sql`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at`
    clockAheadMs = Number(at) - Date.now()
    times.push(performance.now() - startedAtMs)
  }
  return {
    /** `15.8 (Debian 15.8-0+deb12u1)`, or the version string of a compatible server. */
    version: String(row.version),
    schema,
    latencyMs: times.toSorted((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)]!,
    /** Negative if the clock of the server is behind the clock of this machine. */
    clockAheadMs,
    /**
     * Whether PostgreSQL cancels slow statements. False behind PgBouncer, which does not pass on the timeout of the
     * connection.
     */
    cancelsStatements: row.statement_timeout !== '0',
  }
}
