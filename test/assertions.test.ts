import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { scripts } from '../package.json'
import { testsIn } from './assertions.ts'

const ROOT = join(import.meta.dir, '..')
const paths = [...new Bun.Glob('test/**/*.{ts,tsx}').scanSync(ROOT)].filter(
  (path) => !path.startsWith('test/fixtures/'),
)
const sources = await Promise.all(paths.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const))
const { tests, sleeps } = testsIn(new Map(sources))

test('every test has an assertion, or calls a function that has one', () => {
  expect(tests.length).toBeGreaterThan(1_000)
  expect(tests.filter(({ asserts }) => !asserts).map(({ place }) => place)).toEqual([])
})

test('no test is repeated until it passes', async () => {
  expect(tests.filter(({ repeatedBy }) => repeatedBy !== null)).toEqual([])
  for (const commands of [scripts.test, await Bun.file(join(ROOT, '.ci/run')).text()]) {
    expect(commands).not.toMatch(/--(retry|rerun-each)/)
  }
})

/** Why a test may sleep for a fixed time. No reason is that something is likely to be done by then. */
const SAME_LOOP = 'ten turns for the client of a server in the same event loop'
const SLOW_SERVER = 'part of a server that responds late'
const NOTHING_HAPPENS = 'nothing may happen in this time; a slow machine cannot make the test fail'

/** Files with sleeps that neither wait for a condition in a loop nor only let other tasks run. */
const SLEEPS: Readonly<Record<string, readonly string[]>> = {
  'test/binary.test.ts': [SLOW_SERVER],
  'test/cli/check.test.ts': [SLOW_SERVER],
  'test/clock-minute.ts': ['until the minute of the clock ends, before a test of a limit per minute'],
  'test/compose/idle-memory.test.ts': [NOTHING_HAPPENS, NOTHING_HAPPENS, NOTHING_HAPPENS, NOTHING_HAPPENS],
  'test/fetch/browser.test.ts': [NOTHING_HAPPENS],
  'test/fetch/connection/connections.test.ts': [SAME_LOOP],
  'test/http/language.test.ts': [SLOW_SERVER],
  'test/http/log.test.ts': [SLOW_SERVER],
  'test/http/public-images.test.ts': [SLOW_SERVER],
  'test/origin/hostile-scripts.ts': [SLOW_SERVER],
  'test/service/lookup/single-flight.test.ts': [NOTHING_HAPPENS, NOTHING_HAPPENS],
  'test/shared-state.test.ts': [SLOW_SERVER],
  'test/sites/hostile-oembed.test.ts': [SLOW_SERVER, SLOW_SERVER],
  'test/store/cache-file.test.ts': [NOTHING_HAPPENS],
}

test('no test sleeps instead of waiting for a condition', () => {
  const fixed = sleeps.filter(({ polls, yields }) => !polls && !yields)
  const unexplained = Map.groupBy(fixed, ({ path }) => path)
  const counts = Object.fromEntries(Array.from(unexplained, ([path, all]) => [path, all.length]))
  expect(counts).toEqual(Object.fromEntries(Object.entries(SLEEPS).map(([path, reasons]) => [path, reasons.length])))
})

describe('a test', () => {
  const HELPERS = `
    export const check = (value) => expect(value).toBe(1)
    export const open = () => ({ verify() { check(2) }, close() {} })
    export function loop(n) { if (n > 0) loop(n - 1) }`
  const IMPORTS = `import { check, loop, open } from './helpers.ts'`

  test.each<[name: string, body: string, asserts: boolean]>([
    ['an expectation', `test('x', () => expect(1).toBe(1))`, true],
    ['one in a table', `test.each([1])('%i', (n) => { expect(n).toBe(1) })`, true],
    ['one in a concurrent table', `test.concurrent.each([1])('%i', (n) => expect(n).toBe(1))`, true],
    ['one after a condition', `test.skipIf(false)('x', () => expect(1).toBe(1))`, true],
    ['one with a title that mentions it', `test('expect', () => {})`, false],
    ['a property', `test('x', () => fc.assert(fc.property(fc.string(), String)))`, true],
    ['a function of the file', `const sure = () => expect(1).toBe(1)\ntest('x', () => sure())`, true],
    ['a function that is passed', `const sure = () => expect(1).toBe(1)\ntest('x', sure)`, true],
    ['an imported function', `test('x', () => check(1))`, true],
    ['a method of an imported object', `test('x', () => open().verify())`, true],
    ['a method without one', `test('x', () => open().close())`, false],
    ['a recursive function', `test('x', () => loop(3))`, false],
    ['a function that hides an imported one', `const check = () => 1\ntest('x', () => check())`, false],
    ['nothing', `test('x', () => {})`, false],
  ])('with %s', (_, body, asserts) => {
    const found = testsIn(
      new Map([
        ['test/helpers.ts', HELPERS],
        ['test/a.test.ts', `${IMPORTS}\n${body}`],
      ]),
    )
    expect(found.tests.map((one) => one.asserts)).toEqual([asserts])
  })

  test.each<[body: string, polls: boolean, yields: boolean]>([
    ['while (!done) await Bun.sleep(10)', true, false],
    ['do { await Bun.sleep(10) } while (!done)', true, false],
    ['for (;;) { if (done) break; await Bun.sleep(10) }', true, false],
    ['for (let i = 0; i < 3; i++) await Bun.sleep(10)', false, false],
    ['while (!done) await ask(async () => { await Bun.sleep(10) })', false, false],
    ['await Bun.sleep(1)', false, true],
    ['await Bun.sleep(2)', false, false],
    ['await Bun.sleep(TIME_MS)', false, false],
  ])('%s', (body, polls, yields) => {
    const found = testsIn(new Map([['test/a.ts', `async () => { ${body} }`]]))
    expect(found.sleeps).toMatchObject([{ polls, yields }])
  })

  test.each([['retry'], ['repeats']])('that is repeated by %s', (option) => {
    const found = testsIn(new Map([['test/a.ts', `test('x', () => expect(1).toBe(1), { ${option}: 2 })`]]))
    expect(found.tests).toMatchObject([{ repeatedBy: option }])
  })
})
