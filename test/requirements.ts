import { describe } from 'bun:test'
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'

import { findBrowser, findChromium, findHeadlessShell } from '../src/fetch/chromium/executable.ts'

/** A comma-separated list of programs that must be installed. Tests that need a missing program are otherwise skipped. */
const required = (process.env['TEST_REQUIRE'] ?? '').split(',')

/** The kinds of Chromium that render pages. */
const KINDS = [
  { kind: 'headless shell', executable: findHeadlessShell(), isRequired: required.includes('headless-shell') },
  { kind: 'browser', executable: findBrowser(), isRequired: required.includes('chromium') },
]

for (const { kind, executable, isRequired } of KINDS) {
  if (isRequired && executable === null) {
    throw new Error(`TEST_REQUIRE=${required.join(',')}, and no Chromium was found: ${kind}`)
  }
}

/** The Chromium that the service would use, or null. */
export const chromium = findChromium()

/** Tests that need a real Chromium; skipped if there is none. */
export const describeChromium = chromium === null ? describe.skip : describe

/** Tests that run with each kind of Chromium; skipped for a kind that is not installed. */
export function describeEachChromium(name: string, tests: (executable: string) => void): void {
  for (const { kind, executable } of KINDS) {
    const describeKind = executable === null ? describe.skip : describe
    describeKind(`${name}, ${kind}`, () => tests(executable ?? 'none'))
  }
}

/** PATH, with the directories of system programs. */
const PROGRAM_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`

/** Tests that need a system program; skipped if it is not installed. */
export function describeProgram(program: string, tests: (path: string) => void): void {
  const path = Bun.which(program, { PATH: PROGRAM_PATH })
  if (path === null && required.includes(program)) throw new Error(`TEST_REQUIRE=${required.join(',')}, no ${program}`)
  const describeFound = path === null ? describe.skip : describe
  describeFound(program, () => tests(path ?? 'none'))
}

/** Where Debian and Red Hat put the programs of the PostgreSQL server, one folder per version. */
const POSTGRES_GLOBS = ['/usr/lib/postgresql/*/bin/postgres', '/usr/pgsql-*/bin/postgres']

/** `/usr/lib/postgresql/15/bin/postgres` → 15. */
const versionOf = (path: string) => Number(/\d+/.exec(path)?.[0])

/** The folder of the newest installed PostgreSQL server, or null. */
function findPostgres(): string | null {
  const onPath = Bun.which('postgres', { PATH: PROGRAM_PATH })
  const found = POSTGRES_GLOBS.flatMap((glob) => [
    ...new Bun.Glob(glob.slice(1)).scanSync({ cwd: '/', absolute: true }),
  ])
  const newest = found.toSorted((a, b) => versionOf(a) - versionOf(b)).at(-1)
  const path = newest ?? onPath
  // Its other programs are beside the program itself, not beside a link to it.
  return path === null ? null : dirname(realpathSync(path))
}

/** Tests that need a real PostgreSQL server: they are skipped, each by its name, where it is not installed. */
export function describePostgres(name: string, tests: (binDir: string) => void): void {
  const binDir = findPostgres()
  if (binDir === null && required.includes('postgres')) {
    throw new Error(`TEST_REQUIRE=${required.join(',')}, and no PostgreSQL server was found`)
  }
  const describeFound = binDir === null ? describe.skip : describe
  describeFound(name, () => tests(binDir ?? 'none'))
}

/** The path of Redis, or of Valkey, which speaks the same protocol; null without both. */
function findRedis(): string | null {
  const find = (name: string) => Bun.which(name, { PATH: PROGRAM_PATH })
  return find('redis-server') ?? find('valkey-server')
}

/** Tests that need a real Redis or Valkey server: they are skipped, each by its name, where it is not installed. */
export function describeRedis(name: string, tests: (executable: string) => void): void {
  const executable = findRedis()
  if (executable === null && required.includes('redis')) {
    throw new Error(`TEST_REQUIRE=${required.join(',')}, and neither redis-server nor valkey-server was found`)
  }
  const describeFound = executable === null ? describe.skip : describe
  describeFound(name, () => tests(executable ?? 'none'))
}
