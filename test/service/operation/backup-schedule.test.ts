import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'

import {
  type Backup,
  type ScheduledBackup,
  startBackupSchedule,
} from '../../../src/service/operation/backup-schedule.ts'

const HOUR = 60 * 60_000
const NOW = 1_700_000_000_000

/** A schedule whose clock and files the test controls. `tick` runs its timer. */
function openSchedule(ages: number[], { everyMs = 24 * HOUR, keep = 3 } = {}) {
  const backups = ages.map((ageMs): ScheduledBackup => {
    const atMs = NOW - ageMs
    return { file: `-${ageMs / HOUR}h`, bytes: 1, atMs, namedAtMs: atMs, tookMs: 1 }
  })
  const world = {
    nowMs: NOW,
    copyMs: 0,
    fault: null as Error | null,
    /** Fails when the directory is listed. */
    listFault: null as Error | null,
    backups,
    faults: [] as unknown[],
    /** A backup that cannot be deleted. */
    immutable: '',
    undeleted: [] as unknown[],
    made: 0,
    /** Called by a backup that then only ends when it is canceled. */
    started: null as (() => void) | null,
    tick: () => {},
  }
  const schedule = startBackupSchedule({
    files: {
      async list() {
        if (world.listFault) throw world.listFault
        return [...world.backups]
      },
      async create(namedAtMs, signal) {
        signal.throwIfAborted()
        if (world.fault) throw world.fault
        if (world.started) {
          world.started()
          await once(signal, 'abort')
          signal.throwIfAborted()
        }
        world.nowMs += world.copyMs
        const made = { file: `+${(namedAtMs - NOW) / HOUR}h`, bytes: 2, atMs: world.nowMs, namedAtMs, tookMs: 1 }
        world.backups.push(made)
        return made
      },
      async remove(backup) {
        if (backup.file === world.immutable) throw new Error(`${backup.file} is immutable`)
        world.backups.splice(world.backups.indexOf(backup), 1)
      },
    },
    everyMs,
    keep,
    now: () => world.nowMs,
    repeat(run) {
      world.tick = run
      return { [Symbol.dispose]: () => (world.tick = () => {}) }
    },
    onBackup: () => world.made++,
    onError: (error) => world.faults.push(error),
    onUndeleted: (error) => world.undeleted.push(error),
  })
  return { world, schedule }
}

const namesOf = ({ backups }: { backups: Backup[] }) => backups.map(({ file }) => file)

describe('at the start', () => {
  test.each([
    ['without a backup, one is created', [], 1],
    ['with an old backup, one is created', [24 * HOUR], 1],
    ['with a recent backup, none is created', [24 * HOUR - 1], 0],
    ['with a backup dated in the future, one is created', [-5 * HOUR], 1],
  ])('%s', async (_, ages, made) => {
    const { world } = openSchedule(ages)
    await Bun.sleep(0)
    expect(world.made).toBe(made)
  })
})

test('a backup is created when the latest is old enough, and the oldest is deleted', async () => {
  const { world, schedule } = openSchedule([70 * HOUR, 47 * HOUR, 23 * HOUR])
  await Bun.sleep(0)
  expect(schedule.status()).toEqual({
    last: world.backups[2]!,
    everyMs: 24 * HOUR,
    isRunning: false,
    nextAtMs: NOW + HOUR,
    error: null,
    failures: 0,
  })
  world.nowMs += HOUR - 1
  world.tick()
  await Bun.sleep(0)
  expect(world.made).toBe(0)
  world.nowMs += 1
  world.tick()
  await Bun.sleep(0)
  expect(namesOf(world)).toEqual(['-47h', '-23h', '+1h'])
})

describe('backups are due an interval apart', () => {
  /** When the first four backups were due, in intervals after the first one, with checks that are not in step with them. */
  async function dueTimes(everyMs: number, { copyMs = 0, ages = [] as number[] } = {}) {
    const { world } = openSchedule(ages, { everyMs, keep: 10 })
    world.copyMs = copyMs
    await Bun.sleep(0)
    for (; world.made < 4; world.nowMs += everyMs / 7) {
      world.tick()
      await Bun.sleep(0)
    }
    return world.backups.slice(ages.length).map(({ namedAtMs }) => (namedAtMs - NOW) / everyMs)
  }

  test.each([
    ['of a minute, although a copy takes some seconds', 60_000, { copyMs: 8_000 }],
    ['of five minutes', 5 * 60_000, { copyMs: 8_000 }],
    ['that begins with the first one after a stop', 60_000, { ages: [30 * HOUR] }],
  ])('%s', async (_, everyMs, options) => {
    expect(await dueTimes(everyMs, options)).toEqual([0, 1, 2, 3])
  })
})

test('a backup dated in the future, by a clock that was ahead, causes no others and is deleted first', async () => {
  const { world } = openSchedule([48 * HOUR, 24 * HOUR, -9_000 * HOUR])
  await Bun.sleep(0)
  expect(namesOf(world)).toEqual(['-48h', '-24h', '+0h'])
  for (let minute = 0; minute < 3; minute++) {
    world.nowMs += 60_000
    world.tick()
    await Bun.sleep(0)
  }
  expect([world.made, namesOf(world)]).toEqual([1, ['-48h', '-24h', '+0h']])
})

test.each([
  [
    [-2, 48, -9_000, 24],
    ['-48h', '-24h', '+0h'],
  ],
  [
    [48, 24, -9_000, -2],
    ['-48h', '-24h', '+0h'],
  ],
  [
    [-9_000, -2, 24],
    ['--9000h', '-24h', '+0h'],
  ],
  [
    [-2, -9_000, 24],
    ['--9000h', '-24h', '+0h'],
  ],
])('of backups that are %j hours old, those dated in the future are deleted first', async (hours, kept) => {
  const { world } = openSchedule(hours.map((age) => age * HOUR))
  await Bun.sleep(0)
  expect(namesOf(world)).toEqual(kept)
})

test('a clock that is set back after a failure does not delay the next backup', async () => {
  const { world } = openSchedule([])
  world.nowMs += 9_000 * HOUR
  world.fault = new Error('the disk is full')
  await Bun.sleep(0)
  expect(world.faults).toHaveLength(1)
  world.nowMs = NOW
  world.fault = null
  world.tick()
  await Bun.sleep(0)
  expect(world.made).toBe(1)
})

test('an old backup that cannot be deleted is reported, is no failure, and others are deleted', async () => {
  const { world, schedule } = openSchedule([26 * HOUR, 50 * HOUR, 74 * HOUR, 98 * HOUR])
  world.immutable = '-74h'
  await Bun.sleep(0)
  expect(namesOf(world)).toEqual(['-26h', '-50h', '-74h', '+0h'])
  expect([schedule.status().error, schedule.status().failures, world.faults]).toEqual([null, 0, []])
  expect(world.undeleted).toEqual([new Error('-74h is immutable')])
})

test('a failure is reported and retried after 15 minutes; nothing is deleted', async () => {
  const { world, schedule } = openSchedule([90 * HOUR, 80 * HOUR, 70 * HOUR])
  world.fault = new Error('the disk is full')
  await Bun.sleep(0)
  expect(schedule.status()).toMatchObject({ failures: 1, error: 'the disk is full', nextAtMs: NOW + HOUR / 4 })
  expect([world.faults, namesOf(world).length]).toEqual([[world.fault], 3])
  world.fault = null
  world.tick()
  await Bun.sleep(0)
  expect(world.made).toBe(0)
  world.nowMs += HOUR / 4
  world.tick()
  await Bun.sleep(0)
  expect(schedule.status()).toMatchObject({ error: null, last: { atMs: world.nowMs } })
})

test('disposing stops the timer and cancels a running backup without an error', async () => {
  const { world, schedule } = openSchedule([])
  await new Promise<void>((resolve) => (world.started = resolve))
  await schedule[Symbol.asyncDispose]()
  expect([world.made, world.faults, schedule.status().failures]).toEqual([0, [], 0])
})

test('a directory that cannot be listed is tried again after 15 minutes', async () => {
  const { world, schedule } = openSchedule([23 * HOUR])
  await Bun.sleep(0)
  world.nowMs += HOUR - HOUR / 60
  world.listFault = new Error('ENOTDIR')
  for (let minutes = 1; minutes <= 15; minutes++) {
    world.nowMs += HOUR / 60
    world.tick()
    await Bun.sleep(0)
  }
  expect([world.faults.length, schedule.status().nextAtMs]).toEqual([1, NOW + HOUR + HOUR / 4])
  world.listFault = null
  world.nowMs += HOUR / 60
  world.tick()
  await Bun.sleep(0)
  expect([world.made, schedule.status().error]).toEqual([1, null])
})

describe('a backup that is requested', () => {
  const recorded = () => Promise.resolve()

  test('is created before it is due, replaces the oldest, and the next one is due an interval later', async () => {
    const { world, schedule } = openSchedule([70 * HOUR, 47 * HOUR, 23 * HOUR])
    await Bun.sleep(0)
    world.nowMs += HOUR / 2
    expect(await schedule.backUpNow(recorded)).toBe('written')
    expect(namesOf(world)).toEqual(['-47h', '-23h', '+0.5h'])
    expect(schedule.status()).toMatchObject({ last: { atMs: NOW + HOUR / 2 }, nextAtMs: NOW + 24.5 * HOUR })
  })

  test.each([
    ['while the directory is listed', 0],
    ['right after that', 1],
    ['later', 9],
  ])('is created if a check is in progress: %s', async (_, turns) => {
    const { world, schedule } = openSchedule([23 * HOUR])
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    expect(await schedule.backUpNow(recorded)).toBe('written')
    expect(world.made).toBe(1)
  })

  test('is not created while another one is, whether it was due or requested', async () => {
    const { world, schedule } = openSchedule([])
    await new Promise<void>((resolve) => (world.started = resolve))
    expect([await schedule.backUpNow(recorded), schedule.status().isRunning]).toEqual(['running', true])
    await schedule[Symbol.asyncDispose]()
    const other = openSchedule([23 * HOUR])
    await Bun.sleep(0)
    const results = [other.schedule.backUpNow(recorded), other.schedule.backUpNow(recorded)]
    expect(await Promise.all(results)).toEqual(['written', 'running'])
    expect(other.world.made).toBe(1)
  })

  test('is not created if it cannot be recorded', async () => {
    const { world, schedule } = openSchedule([23 * HOUR])
    await Bun.sleep(0)
    await expect(schedule.backUpNow(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('full')
    expect([world.made, schedule.status().isRunning]).toEqual([0, false])
  })

  test('is tried again after a failure, although none is due, and immediately if it is requested again', async () => {
    const { world, schedule } = openSchedule([20 * HOUR])
    await Bun.sleep(0)
    world.fault = new Error('the disk is full')
    expect(await schedule.backUpNow(recorded)).toBe('failed')
    expect(schedule.status()).toMatchObject({ error: 'the disk is full', nextAtMs: NOW + HOUR / 4, isRunning: false })
    expect(await schedule.backUpNow(recorded)).toBe('failed')
    expect(world.faults).toHaveLength(2)
    world.fault = null
    world.nowMs += HOUR / 4
    world.tick()
    await Bun.sleep(0)
    expect([world.made, schedule.status().error]).toEqual([1, null])
  })
})
