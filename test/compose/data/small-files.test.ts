import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { lockDataDir } from '../../../src/compose/data/data-dir.ts'
import { moveStateOf } from '../../../src/compose/data/move-record.ts'
import { openSecret } from '../../../src/compose/data/secret.ts'
import { checkSweepClock, confirmClock, openSweepClock } from '../../../src/compose/sweep-clock.ts'
import { type FixedConfig, parseConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/log.ts'
import { serverPid } from '../../../src/store/files/directory-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-small-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A data directory with one file. */
function dataDirWith(name: string, text: string) {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  writeFileSync(join(dataDir, name), text)
  const parsed = parseConfig({ URLMETA_DATA_DIR: dataDir })
  if ('errors' in parsed) throw new Error(parsed.errors.join())
  return parsed.config
}

const log = createLog({ level: 'error', destination: { write: () => {} } })
const sweepClockOf = (config: FixedConfig) =>
  openSweepClock(config, { clock: { kind: 'machine', newestRow: async () => null } }, log)

/** JSON of another shape, an earlier shape, an incomplete file, and other data. */
const SHAPES = ['', '{}', '[]', '5', '-1', 'null', '"text"', '[{}]', '{"a":', '\0\0\0\0', 'x'.repeat(120)]

const CLOCKS = [
  '{"atMs":"2026","uptimeMs":1,"isSynchronized":false,"isPaused":false}',
  '{"atMs":9e15,"uptimeMs":1,"isSynchronized":false,"isPaused":false}',
  '{"atMs":1e999,"uptimeMs":1,"isSynchronized":false,"isPaused":false}',
  '{"atMs":1,"uptimeMs":null,"isSynchronized":false,"isPaused":false}',
]

describe.each([...SHAPES, ...CLOCKS])('clock.json with %j', (text) => {
  test('is like a missing one: expired rows are deleted, and it is written anew', async () => {
    const config = dataDirWith('clock.json', text)
    expect(checkSweepClock(config)).toMatchObject({ status: 'skipped', detail: 'no server has run yet' })
    expect(() => confirmClock(config)).toThrow('There is no clock to confirm')
    expect(await sweepClockOf(config).read()).toBeNumber()
    expect(checkSweepClock(config)).toMatchObject({ status: 'ok' })
    expect(JSON.parse(readFileSync(join(config.dataDir, 'clock.json'), 'utf8'))).toMatchObject({ isPaused: false })
  })
})

/** A move to another database must not be overlooked, so these are refused, and the message says what to do. */
const MOVES = ['{"to":"x"}', '{"to":5,"started_at":5}', '{"to":"x","started_at":"y","finished_at":{}}']

test.each([...SHAPES, ...MOVES])('moved.json with %j is refused with a remedy', (text) => {
  expect(moveStateOf(dataDirWith('moved.json', text))).toEqual({
    text: expect.stringContaining('moved.json cannot be read'),
    remedy: 'Correct the file, or delete it if this database is still in use.',
    isUnfinished: false,
  })
})

test.each(SHAPES)('secret with %j is refused with a remedy', (text) => {
  const config = dataDirWith('secret', text)
  const why = `${join(config.dataDir, 'secret')} is not a urlmeta secret: delete it to create a new one`
  expect(() => openSecret(config)).toThrow(why)
  expect(readFileSync(join(config.dataDir, 'secret'), 'utf8')).toBe(text)
})

test.each(SHAPES)('serve.lock with %j is locked by one server', (text) => {
  const config = dataDirWith('serve.lock', text)
  using _ = lockDataDir(config, 'serve')
  expect(() => lockDataDir(config, 'serve')).toThrow(`Process ${process.pid} already serves`)
})

test.each([...SHAPES, '0', '99999999999999999999'])('serve.pid with %j names no process', (text) => {
  const config = dataDirWith('serve.pid', text)
  if (text !== '5') expect(serverPid(config.dataDir)).toBeNull()
  lockDataDir(config, 'serve')[Symbol.dispose]()
  expect(existsSync(join(config.dataDir, 'serve.pid'))).toBeFalse()
})
