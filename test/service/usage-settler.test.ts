import { expect, test } from 'bun:test'

import type { RequestOutcome, Slot } from '../../src/core/usage-ports.ts'
import { createUsageSettler, RETRY_MS } from '../../src/service/usage-settler.ts'

const slot: Slot = { userId: 'u1', keyId: 'k1', month: '2026-11' }

/** A settler with a clock, one timer and a store that the test controls. */
function setUp({ works = true, mustRecordAnswers = false } = {}) {
  const state = { works, nowMs: 7 }
  const written: [RequestOutcome, atMs: number][] = []
  const faults: unknown[] = []
  let timer: { run: () => void; ms: number } | null = null
  const settler = createUsageSettler({
    meter: {
      async settle(_, outcome, atMs) {
        await Bun.sleep(0)
        if (!state.works) throw new Error('database is locked')
        written.push([outcome, atMs])
      },
    },
    mustRecordAnswers,
    now: () => state.nowMs++,
    startTimer(run, ms) {
      expect(timer).toBeNull()
      timer = { run, ms }
      return () => (timer = null)
    },
    onFault: (error) => faults.push(error),
  })
  /** Lets the time of the timer pass; says how long it was, or null when none runs. */
  async function passTime() {
    const due = timer
    timer = null
    due?.run()
    await Bun.sleep(1)
    return due?.ms ?? null
  }
  return { settler, state, written, faults, passTime }
}

test('what can be written is written at once', async () => {
  const { settler, written, passTime } = setUp()
  await settler.settle(slot, 'failed')
  expect(written).toEqual([['failed', 7]])
  expect(await passTime()).toBeNull()
})

test('what cannot be written is retried until it can be, with its own time', async () => {
  const { settler, state, written, faults, passTime } = setUp({ works: false })
  await settler.settle(slot, 'failed')
  await settler.settle(slot, 'answered_fresh')
  expect([written, faults.length]).toEqual([[], 2])

  expect(await passTime()).toBe(RETRY_MS)
  expect([written, faults.length]).toEqual([[], 3])

  state.works = true
  expect(await passTime()).toBe(RETRY_MS)
  expect(written).toEqual([
    ['failed', 7],
    ['answered_fresh', 8],
  ])
  expect(await passTime()).toBeNull()
})

test('what is kept for later is written before the end', async () => {
  const { settler, state, written, passTime } = setUp({ works: false })
  await settler.settle(slot, 'failed')
  state.works = true
  await settler[Symbol.asyncDispose]()
  expect(written).toEqual([['failed', 7]])
  expect(await passTime()).toBeNull()
})

test('what cannot be written at the end either is reported, and no timer is left', async () => {
  const { settler, written, faults, passTime } = setUp({ works: false })
  await settler.settle(slot, 'failed')
  await settler[Symbol.asyncDispose]()
  expect([written, faults.length]).toEqual([[], 2])
  expect(await passTime()).toBeNull()
})

test('where answers must be recorded, one that cannot be rejects, and is recorded as failed later', async () => {
  const { settler, state, written, passTime } = setUp({ works: false, mustRecordAnswers: true })
  for (const outcome of ['answered_fresh', 'answered_from_cache'] as const) {
    await expect(settler.settle(slot, outcome)).rejects.toThrow('database is locked')
  }
  await settler.settle(slot, 'abandoned')
  state.works = true
  await passTime()
  expect(written.map(([outcome]) => outcome)).toEqual(['failed', 'failed', 'abandoned'])
})

test('what is under way at the end is waited for', async () => {
  const { settler, written } = setUp()
  const settled = settler.settle(slot, 'failed')
  await settler[Symbol.asyncDispose]()
  expect(written).toEqual([['failed', 7]])
  await settled
})

test('after the end no timer is started any more', async () => {
  const { settler, faults, passTime } = setUp({ works: false })
  await settler[Symbol.asyncDispose]()
  await settler.settle(slot, 'failed')
  expect(faults).toHaveLength(1)
  expect(await passTime()).toBeNull()
})
