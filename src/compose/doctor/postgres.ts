import { type DoctorCheck, skipped } from '../../service/operation/doctor.ts'
import { postgresSchemaFinding, postgresServerFinding } from '../../service/operation/doctor/data.ts'
import { clockFinding } from '../../service/operation/doctor/network.ts'
import { type Inspection, inspectPostgres } from '../../store/postgres/inspect.ts'

/** These checks replace the checks of the data directory. */
export function postgresChecks(url: string): DoctorCheck[] {
  let inspection: Promise<Inspection> | null = null
  const inspect = () => (inspection ??= inspectPostgres(url))
  return [
    { name: 'database', run: async () => postgresServerFinding(await inspect()) },
    { name: 'migrations', run: async () => postgresSchemaFinding((await inspect()).schema) },
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
