import { describe } from 'bun:test'

import { findBrowser, findChromium, findHeadlessShell } from '../src/fetch/chromium/executable.ts'

/** Comma list of what must be there for the tests: without it, a test that needs it is skipped. */
const required = (process.env['TEST_REQUIRE'] ?? '').split(',')

/** What pages are rendered with. */
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

/** Tests that need a real Chromium: skipped, each by its name, where there is none. */
export const describeChromium = chromium === null ? describe.skip : describe

/** Tests that each kind of Chromium must pass: they run with both, and are skipped, each by its name, without one. */
export function describeEachChromium(name: string, tests: (executable: string) => void): void {
  for (const { kind, executable } of KINDS) {
    const describeKind = executable === null ? describe.skip : describe
    describeKind(`${name}, ${kind}`, () => tests(executable ?? 'none'))
  }
}

/** Where administrators' programs are, beside the PATH of whoever runs the tests. */
const PROGRAM_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`

/** Tests that need a program of the system: they are skipped, each by its name, where it is not installed. */
export function describeProgram(program: string, tests: (path: string) => void): void {
  const path = Bun.which(program, { PATH: PROGRAM_PATH })
  if (path === null && required.includes(program)) throw new Error(`TEST_REQUIRE=${required.join(',')}, no ${program}`)
  const describeFound = path === null ? describe.skip : describe
  describeFound(program, () => tests(path ?? 'none'))
}

/** Redis, or Valkey, which speaks the same protocol. */
const redisServer = ['redis-server', 'valkey-server']
  .map((name) => Bun.which(name, { PATH: PROGRAM_PATH }))
  .find(Boolean)
if (redisServer === undefined && required.includes('redis')) {
  throw new Error(`TEST_REQUIRE=${required.join(',')}, neither redis-server nor valkey-server`)
}

/** Tests that need a real Redis: skipped, each by its name, where there is none. */
export function describeRedis(name: string, tests: (executable: string) => void): void {
  const describeFound = redisServer === undefined ? describe.skip : describe
  describeFound(name, () => tests(redisServer ?? 'none'))
}
