import { describe, expect, test } from 'bun:test'

import type { Finding } from '../../../../src/service/operation/doctor.ts'
import {
  backupsFinding,
  migrationsFinding,
  postgresSchemaFinding,
  postgresServerFinding,
  secretFileFinding,
  spaceFinding,
  sweepClockFinding,
} from '../../../../src/service/operation/doctor/data.ts'
import { expectFinding } from './expect-finding.ts'

type Status = Finding['status']

const MB = 1024 ** 2
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 10, 20, 12)

test.each<[bytes: number, status: Status, detail: string]>([
  [100 * MB - 1, 'failed', '100 MB are free'],
  [100 * MB, 'warning', '100 MB are free'],
  [1024 * MB - 1, 'warning', '1024 MB are free'],
  [1024 * MB, 'ok', '1 GB are free'],
])('%d bytes of free space: %s', (bytes, status, detail) => expectFinding(spaceFinding(bytes), status, detail))

test.each<[name: string, exists: boolean, isDatabaseShared: boolean, status: Status]>([
  ['with SQLite', true, false, 'ok'],
  ['with SQLite, before the first start', false, false, 'skipped'],
  ['with PostgreSQL', true, true, 'warning'],
  ['with PostgreSQL, before the first start', false, true, 'warning'],
])('a secret in a file, %s', (_, exists, isDatabaseShared, status) => {
  const finding = secretFileFinding({ path: 'data/secret', dataDir: 'data', exists, isDatabaseShared })
  expectFinding(finding, status)
})

test('pending migrations are a warning, with the command that makes a backup', () => {
  expect(migrationsFinding(false, 'pg_dump')).toMatchObject({ status: 'ok' })
  expect(migrationsFinding(true, 'urlmeta backup FILE')).toEqual({
    status: 'warning',
    detail: 'migrations are pending',
    remedy: 'Make a backup (urlmeta backup FILE), then restart the server: it applies them.',
  })
})

describe('a PostgreSQL database', () => {
  test.each([
    ['empty', 'ok', 'the server creates its tables'],
    ['current', 'ok', 'no pending migrations'],
    ['older', 'warning', 'migrations are pending'],
  ] as const)('whose schema is %s: %s', (schema, status, detail) =>
    expectFinding(postgresSchemaFinding(schema), status, detail),
  )

  test.each(['newer', 'foreign'] as const)('whose schema is %s cannot be used', (schema) =>
    expect(() => postgresSchemaFinding(schema)).toThrow(expect.objectContaining({ fault: schema })),
  )

  test.each<[latencyMs: number, cancelsStatements: boolean, status: Status, detail: string]>([
    [10, true, 'ok', 'PostgreSQL 15.8, 10.0 ms per round trip'],
    [10.1, true, 'warning', 'PostgreSQL 15.8, 10.1 ms per round trip'],
    [1, false, 'warning', 'slow statements are not cancelled'],
  ])('%d ms away; it cancels slow statements: %s', (latencyMs, cancelsStatements, status, detail) =>
    expectFinding(postgresServerFinding({ version: '15.8', latencyMs, cancelsStatements }), status, detail),
  )
})

const NONE = 'no backup in backups'
const latest = (age: string) => `the latest in backups is ${age} old`

test.each<[name: string, agesMs: number[], status: Status, detail: string]>([
  ['none', [], 'failed', NONE],
  ['only one dated in the future', [-1], 'failed', NONE],
  ['one of now', [0], 'ok', latest('less than an hour')],
  ['one that is almost an hour old', [HOUR_MS - 1], 'ok', latest('less than an hour')],
  ['one of an hour ago', [HOUR_MS], 'ok', latest('1 h')],
  ['several in any order', [3 * DAY_MS, 2 * HOUR_MS, -1, 9 * HOUR_MS], 'ok', latest('2 h')],
  ['one as old as two intervals', [2 * DAY_MS], 'ok', latest('48 h')],
  ['one that is older', [2 * DAY_MS + 1], 'failed', latest('48 h')],
])('daily backups: %s', (_, agesMs, status, detail) => {
  const times = agesMs.map((ageMs) => NOW - ageMs)
  expectFinding(backupsFinding('backups', DAY_MS, times, NOW), status, detail)
})

test.each<[name: string, atMs: number | null, isPaused: boolean, status: Status, detail: string]>([
  ['before the first server', null, false, 'skipped', 'no server has run yet'],
  ['with a trusted clock', NOW - DAY_MS, false, 'ok', 'are deleted every ten minutes'],
  [
    'when the server has paused it',
    NOW - DAY_MS,
    true,
    'failed',
    'are not deleted: the clock has jumped more than a day ahead of 2026-11-19T12:00:00.000Z, the latest time that is trusted',
  ],
  [
    'when the clock has jumped since the server ran',
    NOW - DAY_MS - 1,
    false,
    'failed',
    'are not deleted: the clock has jumped more than a day ahead of 2026-11-19T11:59:59.999Z, the latest time that is trusted',
  ],
])('expired rows %s', (_, atMs, isPaused, status, detail) => {
  const unchanged = { uptimeMs: 0, isSynchronized: false }
  const recorded = atMs === null ? null : { ...unchanged, atMs, isPaused }
  expectFinding(sweepClockFinding(recorded, { ...unchanged, atMs: NOW }), status, detail)
})
