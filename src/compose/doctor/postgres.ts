import { join } from 'node:path'

import type { Config } from '../../config.ts'
import { messageWithCause, STORE_FAULTS, StoreError } from '../../core/store-fault.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { type Inspection, inspectPostgres } from '../../store/postgres/inspect.ts'
import { SECRET_FILE } from '../data/secret.ts'
import { clockFinding } from './network.ts'

/** A request waits for two or three round trips, so a slower database delays every response. In milliseconds. */
const SLOW_MS = 10

const TIMEOUT_REMEDY =
  "PgBouncer does not pass the setting on, so set it for the user: ALTER ROLE urlmeta SET statement_timeout = '2s'"

/** Checks of a PostgreSQL database, which replace the checks of the data directory. */
export function postgresChecks(config: Config, url: string): DoctorCheck[] {
  let inspection: Promise<Inspection> | null = null
  const inspect = () => (inspection ??= inspectPostgres(url))
  return [
    { name: 'database', run: async () => checkServer(inspect) },
    { name: 'migrations', run: async () => checkSchema(inspect) },
    { name: 'clock of the database', run: async () => checkClockOf(inspect) },
    { name: 'secret', run: async () => checkSecret(config) },
    { name: 'backups', run: async () => skipped('PostgreSQL is not backed up by urlmeta: schedule pg_dump') },
  ]
}

async function checkServer(inspect: () => Promise<Inspection>): Promise<Finding> {
  try {
    const { version, latencyMs, cancelsStatements } = await inspect()
    const detail = `PostgreSQL ${version}, ${latencyMs.toFixed(1)} ms per round trip`
    if (!cancelsStatements) return warning('slow statements are not cancelled', TIMEOUT_REMEDY)
    return latencyMs > SLOW_MS ? warning(detail, 'Run urlmeta in the same network as the database.') : ok(detail)
  } catch (error) {
    return storeFinding(error)
  }
}

async function checkClockOf(inspect: () => Promise<Inspection>): Promise<Finding> {
  const inspection = await inspect().catch(() => null)
  return inspection === null
    ? skipped('the database cannot be read')
    : clockFinding(inspection.clockAheadMs, 'the database server')
}

async function checkSchema(inspect: () => Promise<Inspection>): Promise<Finding> {
  try {
    const { schema } = await inspect()
    if (schema === 'current') return ok('no pending migrations')
    if (schema === 'empty') return ok('the database is empty; the server creates its tables')
    if (schema === 'older') {
      return warning('migrations are pending', 'Make a backup (pg_dump), then restart the server: it applies them.')
    }
    throw new StoreError(schema)
  } catch (error) {
    return storeFinding(error)
  }
}

function checkSecret({ secret, dataDir }: Config): Finding {
  if (secret !== null) return ok('URLMETA_SECRET is set')
  return warning(
    `it was generated in ${dataDir}, so processes with other data directories have other secrets`,
    `Set URLMETA_SECRET to the same value on every process: the content of ${join(dataDir, SECRET_FILE)}, or the ` +
      'output of openssl rand -hex 32 if there are no accounts yet.',
  )
}

/** @throws any error that is not a StoreError */
function storeFinding(error: unknown): Finding {
  if (!(error instanceof StoreError)) throw error
  return failed(messageWithCause(error), STORE_FAULTS[error.fault].remedy)
}
