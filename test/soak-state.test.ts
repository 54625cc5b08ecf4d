import { expect, test } from 'bun:test'

import { type Line, verdictOf } from '../bench/soak-state.ts'

const START: Line = { type: 'start', piece: 1, at: '2026-11-20T12:00:00.000Z', version: 'urlmeta 1.2.3', options: {} }
const END: Extract<Line, { type: 'end' }> = {
  type: 'end',
  piece: 1,
  answered: 90,
  charged: 90,
  exitCode: 0,
  forbiddenConnections: 0,
  leftProcesses: [],
  databaseMegabytes: 1,
  rendered: 1,
  failures: { 'hostile 502': 3 },
  warnings: {},
}
const minutes = (count: number, megabytesAt: (minute: number) => number, descriptors = 90): Line[] =>
  Array.from({ length: count }, (_, n) => ({
    type: 'minute',
    piece: 1,
    minute: n + 1,
    requests: 3,
    megabytes: megabytesAt(n + 1),
    descriptors: n < 20 ? 90 : descriptors,
  }))
const flat = minutes(25, () => 200)

test.each<[name: string, lines: Line[], failed: string[]]>([
  ['memory that stays', [START, ...flat, END], []],
  ['memory that grows while caches are filled', [START, ...minutes(25, (n) => (n <= 15 ? 100 : 200)), END], []],
  ['memory that grows by 10 %', [START, ...minutes(25, (n) => (n <= 20 ? 200 : 220)), END], []],
  [
    'memory that grows by more',
    [START, ...minutes(25, (n) => (n <= 20 ? 200 : 221)), END],
    ['200 MB after 20 minutes, 221 MB at the end'],
  ],
  ['a peak of one minute', [START, ...minutes(25, (n) => (n === 23 ? 400 : 200)), END], []],
  ['more descriptors', [START, ...minutes(25, () => 200, 123), END], ['90 descriptors, 123 at the end']],
  ['a short piece', [START, ...minutes(20, (n) => 100 * n), END], []],
  ['a piece that was cut off', [START, ...minutes(3, () => 200)], []],
  ['a response that was not charged', [START, ...flat, { ...END, charged: 89 }], ['90 answered, 89 charged']],
  ['another exit code', [START, ...flat, { ...END, exitCode: 1 }], ['exit code 1']],
  ['a process that is left', [START, ...flat, { ...END, leftProcesses: ['a', 'b'] }], ['processes left: a, b']],
  [
    'an unknown warning',
    [START, ...flat, { ...END, warnings: { 'error: backup failed; will retry': 2 } }],
    ['log: 2 × error: backup failed; will retry: unexplained'],
  ],
  [
    'an explained warning',
    [START, ...flat, { ...END, warnings: { 'error: a worker ended; starting another: timeout': 2 } }],
    [],
  ],
  ['an internal error', [START, ...flat, { ...END, failures: { 'fresh 500 {}': 1 } }], ['responses: 1 × fresh 500 {}']],
])('the verdict of a soak with %s', (_, lines, failed) => {
  const verdict = verdictOf(lines)
  const texts = verdict.lines
    .filter((line) => line.startsWith('FAIL'))
    .map((line) => line.replace(/^FAIL (piece.*?: )?/, ''))
  expect(texts).toEqual(failed)
  expect(verdict.isGood).toBe(failed.length === 0)
})
