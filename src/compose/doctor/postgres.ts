import { StoreError } from '../../core/store-fault.ts'
import { type DoctorCheck, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { type Inspection, inspectPostgres } from '../../store/postgres/inspect.ts'
import { clockFinding } from './network.ts'

/** A request waits for two or three round trips, so a slower database delays every response. In milliseconds. */
const SLOW_MS = 10

const TIMEOUT_REMEDY =
  "PgBouncer does not pass the setting on, so set it for the user: ALTER ROLE urlmeta SET statement_timeout = '2s'"

/** Checks of a PostgreSQL database, which replace the checks of the data directory. */
export function postgresChecks(url: string): DoctorCheck[] {
  let inspection: Promise<Inspection> | null = null
  const inspect = () => (inspection ??= inspectPostgres(url))
  return [
    { name: 'database', run: () => inspect().then(serverFinding) },
    { name: 'migrations', run: () => inspect().then(schemaFinding) },
    {
      name: 'clock of the database',
      run: () =>
        inspect().then(
          ({ clockAheadMs }) => clockFinding(clockAheadMs, 'the database server'),
          () => skipped('the database cannot be read'),
        ),
    },
    { name: 'backups', run: async () => skipped('PostgreSQL is not backed up by urlmeta: schedule pg_dump') },
  ]
}

function serverFinding({ version, latencyMs, cancelsStatements }: Inspection): Finding {
  const detail = `PostgreSQL ${version}, ${latencyMs.toFixed(1)} ms per round trip`
  if (!cancelsStatements) return warning('slow statements are not cancelled', TIMEOUT_REMEDY)
  return latencyMs > SLOW_MS ? warning(detail, 'Run urlmeta in the same network as the database.') : ok(detail)
}

/** @throws StoreError for a database that this version cannot use */
function schemaFinding({ schema }: Inspection): Finding {
  if (schema === 'current') return ok('no pending migrations')
  if (schema === 'empty') return ok('the database is empty; the server creates its tables')
  if (schema !== 'older') throw new StoreError(schema)
  return warning('migrations are pending', 'Make a backup (pg_dump), then restart the server: it applies them.')
}
