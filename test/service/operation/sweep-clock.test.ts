import { expect, test } from 'bun:test'

import { type ClockReading, type ClockRecord, createSweepClock } from '../../../src/service/operation/sweep-clock.ts'

const DAY_MS = 86_400_000
const NOW = 1_700_000_000_000

/** A sweep clock of a machine that had been running for ten days at `NOW`. */
function openClock({ recorded = null as ClockRecord | null, newestRow = null as number | null, isFull = false } = {}) {
  const world = {
    reading: { atMs: NOW, uptimeMs: 10 * DAY_MS, isSynchronized: false } as ClockReading,
    recorded,
    events: [] as string[],
  }
  const clock = createSweepClock({
    record: {
      read: () => world.recorded,
      write(record) {
        if (isFull) throw new Error('the disk is full')
        world.recorded = record
      },
    },
    newestRow: async () => newestRow,
    reading: () => world.reading,
    onChange: (latestMs) => world.events.push(latestMs === null ? 'trusted' : `jump ahead of ${latestMs - NOW}`),
  })
  return { world, clock }
}

const recordedAt = (atMs: number, reading: Partial<ClockReading> = {}): ClockRecord => ({
  atMs,
  uptimeMs: 10 * DAY_MS,
  isSynchronized: false,
  isPaused: false,
  ...reading,
})

/** The uptime of a record from before the machine was restarted. */
const BEFORE_RESTART = { uptimeMs: 20 * DAY_MS, isSynchronized: true }

test.each<[string, ClockRecord, isSynchronized: boolean, isTrusted: boolean]>([
  ['a day ahead', recordedAt(NOW - DAY_MS), false, true],
  ['a millisecond more', recordedAt(NOW - DAY_MS - 1), false, false],
  ['set back', recordedAt(NOW + 400 * DAY_MS), false, true],
  ['after a stop of a week', recordedAt(NOW - 7 * DAY_MS, { uptimeMs: 3 * DAY_MS }), false, true],
  ['after a stop of six days, by a week', recordedAt(NOW - 7 * DAY_MS - 1, { uptimeMs: 4 * DAY_MS }), false, false],
  ['after a restart of the machine', recordedAt(NOW - DAY_MS, BEFORE_RESTART), false, true],
  ['after a week without power', recordedAt(NOW - 7 * DAY_MS, BEFORE_RESTART), false, false],
  ['the same, set by NTP since', recordedAt(NOW - 7 * DAY_MS, BEFORE_RESTART), true, true],
  ['set by NTP after the first sweep of a machine without a clock', recordedAt(NOW - 7 * DAY_MS), true, true],
  ['a jump after NTP had set it', recordedAt(NOW - 7 * DAY_MS, { isSynchronized: true }), true, false],
])('a clock %s', async (_, recorded, isSynchronized, isTrusted) => {
  const { world, clock } = openClock({ recorded })
  world.reading.isSynchronized = isSynchronized
  expect([await clock.read(), clock.isPaused()]).toEqual(isTrusted ? [NOW, false] : [null, true])
  expect(world.recorded).toMatchObject({
    isPaused: !isTrusted,
    atMs: isTrusted ? Math.max(NOW, recorded.atMs) : recorded.atMs,
  })
})

test.each<[string, number | null, number | null]>([
  ['without rows is trusted', null, NOW],
  ['with rows of yesterday is trusted', NOW - DAY_MS, NOW],
  ['with older rows is not', NOW - DAY_MS - 1, null],
])('a first start %s', async (_, newestRow, expected) => {
  const { clock } = openClock({ newestRow })
  expect(await clock.read()).toBe(expected)
})

test('a jump is reported once, and so is its end', async () => {
  const { world, clock } = openClock()
  await clock.read()
  world.reading = { ...world.reading, atMs: NOW + 400 * DAY_MS }
  await clock.read()
  await clock.read()
  expect(world.events).toEqual(['jump ahead of 0'])
  world.reading = { ...world.reading, atMs: NOW + 600_000, uptimeMs: 10 * DAY_MS + 600_000 }
  expect(await clock.read()).toBe(NOW + 600_000)
  expect(world.events).toEqual(['jump ahead of 0', 'trusted'])
})

test('an operator who records the time ends a pause', async () => {
  const { world, clock } = openClock({ recorded: recordedAt(NOW - 7 * DAY_MS) })
  await clock.read()
  world.recorded = recordedAt(NOW)
  expect([await clock.read(), world.recorded]).toEqual([NOW, recordedAt(NOW)])
})

test('a full disk does not stop deleting', async () => {
  expect(await openClock({ isFull: true }).clock.read()).toBe(NOW)
})
