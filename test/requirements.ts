import { describe } from 'bun:test'

import { BROWSER, findChromium, HEADLESS_SHELL } from '../src/fetch/chromium/executable.ts'
import { findPostgres, findRedis, PROGRAM_PATH } from './programs.ts'

/** A comma-separated list of programs that must be installed. Tests that need a missing program are otherwise skipped. */
const required = (process.env['TEST_REQUIRE'] ?? '').split(',')

/** The kinds of Chromium that render pages. */
const KINDS = [
  {
    kind: 'headless shell',
    executable: findChromium({}, [HEADLESS_SHELL]),
    isRequired: required.includes('headless-shell'),
  },
  { kind: 'browser', executable: findChromium({}, [BROWSER]), isRequired: required.includes('chromium') },
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

/**
 * Whether the service would use this Chromium. Pages run in the same engine in every kind, so cases that only depend on
 * the engine run in this one.
 */
export const isPreferred = (executable: string): boolean => executable === chromium

/** Tests that need a system program; skipped if it is not installed. */
export function describeProgram(program: string, tests: (path: string) => void): void {
  const path = Bun.which(program, { PATH: PROGRAM_PATH })
  if (path === null && required.includes(program)) throw new Error(`TEST_REQUIRE=${required.join(',')}, no ${program}`)
  const describeFound = path === null ? describe.skip : describe
  describeFound(program, () => tests(path ?? 'none'))
}

/** Tests that need a PostgreSQL server. Each is reported as skipped if it is not installed. */
export function describePostgres(name: string, tests: (binDir: string) => void): void {
  const binDir = findPostgres()
  if (binDir === null && required.includes('postgres')) {
    throw new Error(`TEST_REQUIRE=${required.join(',')}, and no PostgreSQL server was found`)
  }
  const describeFound = binDir === null ? describe.skip : describe
  describeFound(name, () => tests(binDir ?? 'none'))
}

/** Tests that need a Redis or Valkey server. Each is reported as skipped if neither is installed. */
export function describeRedis(name: string, tests: (executable: string) => void): void {
  const executable = findRedis()
  if (executable === null && required.includes('redis')) {
    throw new Error(`TEST_REQUIRE=${required.join(',')}, and neither redis-server nor valkey-server was found`)
  }
  const describeFound = executable === null ? describe.skip : describe
  describeFound(name, () => tests(executable ?? 'none'))
}
