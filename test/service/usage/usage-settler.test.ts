import { expect, test } from 'bun:test'

import type { RequestOutcome, QuotaUnit } from '../../../src/core/usage/ports.ts'
import { createUsageSettler, MAX_KEPT, RETRY_MS } from '../../../src/service/usage/usage-settler.ts'

const unit: QuotaUnit = { userId: 'u1', keyId: 'k1', month: '2026-11' }

/** A settler with a clock, one timer and a store that the test controls. */
function setUp({ works = true, mustRecordSuccesses = false } = {}) {
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
    mustRecordSuccesses,
    now: () => state.nowMs++,
    startTimer(run, ms) {
      expect(timer).toBeNull()
      timer = { run, ms }
      return () => (timer = null)
    },
    onFault: (error) => faults.push(error),
  })
  /** Fires the timer and returns its delay, or null when none runs. */
  async function passTime() {
    const due = timer
    timer = null
    due?.run()
    await Bun.sleep(1)
    return due?.ms ?? null
  }
  return { settler, state, written, faults, passTime }
}

test('settlements are recorded immediately', async () => {
  const { settler, written, passTime } = setUp()
  await settler.settle(unit, 'failed')
  expect(written).toEqual([['failed', 7]])
  expect(await passTime()).toBeNull()
})

test('settlements that cannot be recorded are retried with their original time', async () => {
  const { settler, state, written, faults, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed')
  await settler.settle(unit, 'fetched')
  expect([written, faults.length]).toEqual([[], 2])

  expect(await passTime()).toBe(RETRY_MS)
  expect([written, faults.length]).toEqual([[], 3])

  state.works = true
  expect(await passTime()).toBe(RETRY_MS)
  expect(written).toEqual([
    ['failed', 7],
    ['fetched', 8],
  ])
  expect(await passTime()).toBeNull()
})

test('the number of kept settlements is limited', async () => {
  const { settler, state, written } = setUp({ works: false })
  await Promise.all(Array.from({ length: MAX_KEPT + 1 }, () => settler.settle(unit, 'failed')))
  state.works = true
  await settler[Symbol.asyncDispose]()
  expect(written).toHaveLength(MAX_KEPT)
})

test('kept settlements are recorded on disposal', async () => {
  const { settler, state, written, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed')
  state.works = true
  await settler[Symbol.asyncDispose]()
  expect(written).toEqual([['failed', 7]])
  expect(await passTime()).toBeNull()
})

test('settlements that cannot be recorded on disposal are reported, and no timer remains', async () => {
  const { settler, written, faults, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed')
  await settler[Symbol.asyncDispose]()
  expect([written, faults.length]).toEqual([[], 2])
  expect(await passTime()).toBeNull()
})

test('if responses must be recorded, one that cannot be is rejected, and recorded as failed later', async () => {
  const { settler, state, written, passTime } = setUp({ works: false, mustRecordSuccesses: true })
  for (const outcome of ['fetched', 'cached'] as const) {
    await expect(settler.settle(unit, outcome)).rejects.toThrow('database is locked')
  }
  await settler.settle(unit, 'abandoned')
  state.works = true
  await passTime()
  expect(written.map(([outcome]) => outcome)).toEqual(['failed', 'failed', 'abandoned'])
})

test('disposal waits for settlements in progress', async () => {
  const { settler, written } = setUp()
  const settled = settler.settle(unit, 'failed')
  await settler[Symbol.asyncDispose]()
  expect(written).toEqual([['failed', 7]])
  await settled
})

test('no timer is started after disposal', async () => {
  const { settler, faults, passTime } = setUp({ works: false })
  await settler[Symbol.asyncDispose]()
  await settler.settle(unit, 'failed')
  expect(faults).toHaveLength(1)
  expect(await passTime()).toBeNull()
})
