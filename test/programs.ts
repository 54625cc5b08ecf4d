// Finds the programs that tests and benchmarks start.
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'

/** PATH, with the directories of system programs. */
export const PROGRAM_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`

/** Where Debian and Red Hat install PostgreSQL servers, one folder per version. */
const POSTGRES_GLOBS = ['/usr/lib/postgresql/*/bin/postgres', '/usr/pgsql-*/bin/postgres']

/** `/usr/lib/postgresql/15/bin/postgres` → 15. */
const versionOf = (path: string) => Number(/\d+/.exec(path)?.[0])

/** The folder of the newest installed PostgreSQL server, or null. */
export function findPostgres(): string | null {
  const onPath = Bun.which('postgres', { PATH: PROGRAM_PATH })
  const found = POSTGRES_GLOBS.flatMap((glob) => [
    ...new Bun.Glob(glob.slice(1)).scanSync({ cwd: '/', absolute: true }),
  ])
  const newest = found.toSorted((a, b) => versionOf(a) - versionOf(b)).at(-1)
  const path = newest ?? onPath
  // The other programs of the server are in the directory of the real file, not of a symbolic link.
  return path === null ? null : dirname(realpathSync(path))
}

/** The path of Redis or Valkey, which has the same protocol; null if neither is installed. */
export function findRedis(): string | null {
  const find = (name: string) => Bun.which(name, { PATH: PROGRAM_PATH })
  return find('redis-server') ?? find('valkey-server')
}
