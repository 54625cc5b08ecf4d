import { expect, test } from 'bun:test'

import type { RequestOutcome, QuotaUnit } from '../../../src/core/usage/ports.ts'
import { createUsageSettler, MAX_KEPT } from '../../../src/service/usage/usage-settler.ts'
import { until } from '../../site.ts'

const unit: QuotaUnit = { userId: 'u1', keyId: 'k1', month: '2026-11' }

/** A settler with a timer and a store that the test controls. */
function setUp({ works = true, mustRecordSuccesses = false } = {}) {
  const state = { works }
  const written: [RequestOutcome, atMs: number][] = []
  const faults: unknown[] = []
  let retry = () => {}
  const settler = createUsageSettler({
    meter: {
      async settle(_, outcome, atMs) {
        await Bun.sleep(0)
        if (!state.works) throw new Error('database is locked')
        written.push([outcome, atMs])
      },
    },
    mustRecordSuccesses,
    repeat(run) {
      retry = run
      return { [Symbol.dispose]: () => void (retry = () => {}) }
    },
    onFault: (error) => faults.push(error),
  })
  /** Waits for the next retry. */
  async function passTime() {
    retry()
    await Bun.sleep(1)
  }
  return { settler, state, written, faults, passTime }
}

test('settlements are recorded immediately', async () => {
  const { settler, written, passTime } = setUp()
  await settler.settle(unit, 'failed', 7)
  await passTime()
  expect(written).toEqual([['failed', 7]])
})

test('settlements that cannot be recorded are retried with their original time', async () => {
  const { settler, state, written, faults, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed', 7)
  await settler.settle(unit, 'fetched', 8)
  expect([written, faults.length]).toEqual([[], 2])

  await passTime()
  expect([written, faults.length]).toEqual([[], 3])

  state.works = true
  await passTime()
  await passTime()
  expect(written).toEqual([
    ['failed', 7],
    ['fetched', 8],
  ])
})

test('the number of kept settlements is limited', async () => {
  const { settler, state, written } = setUp({ works: false })
  await Promise.all(Array.from({ length: MAX_KEPT + 1 }, () => settler.settle(unit, 'failed', 7)))
  state.works = true
  await settler[Symbol.asyncDispose]()
  expect(written).toHaveLength(MAX_KEPT)
})

test('settlements beyond a batch are kept when the store is still down', async () => {
  const { settler, state, written, faults, passTime } = setUp({ works: false })
  const count = 2_001
  await Promise.all(Array.from({ length: count }, () => settler.settle(unit, 'failed', 7)))
  await passTime()
  await until(() => faults.length > count)
  state.works = true
  await settler[Symbol.asyncDispose]()
  // The retry has tried one batch.
  expect([written.length, faults.length]).toEqual([count, count + 1])
})

test('kept settlements are recorded on disposal', async () => {
  const { settler, state, written, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed', 7)
  state.works = true
  await settler[Symbol.asyncDispose]()
  await passTime()
  expect(written).toEqual([['failed', 7]])
})

test('settlements that cannot be recorded on disposal are reported once', async () => {
  const { settler, written, faults, passTime } = setUp({ works: false })
  await settler.settle(unit, 'failed', 7)
  await settler[Symbol.asyncDispose]()
  await passTime()
  expect([written, faults.length]).toEqual([[], 2])
})

test('if responses must be recorded, one that cannot be is rejected, and recorded as failed later', async () => {
  const { settler, state, written, passTime } = setUp({ works: false, mustRecordSuccesses: true })
  for (const outcome of ['fetched', 'cached'] as const) {
    await expect(settler.settle(unit, outcome, 7)).rejects.toThrow('database is locked')
  }
  await settler.settle(unit, 'abandoned', 7)
  state.works = true
  await passTime()
  expect(written.map(([outcome]) => outcome)).toEqual(['failed', 'failed', 'abandoned'])
})

test('disposing waits for work that has not settled its unit', async () => {
  const { settler, written } = setUp()
  const work = Promise.withResolvers<void>()
  const tracked = settler.track(work.promise.then(() => settler.settle(unit, 'abandoned', 7)))
  const disposed = settler[Symbol.asyncDispose]()
  work.resolve()
  await disposed
  expect(written).toHaveLength(1)
  await tracked
})

test('disposal waits for settlements in progress', async () => {
  const { settler, written } = setUp()
  const settled = settler.settle(unit, 'failed', 7)
  await settler[Symbol.asyncDispose]()
  expect(written).toEqual([['failed', 7]])
  await settled
})

test('nothing is retried after disposal', async () => {
  const { settler, faults, passTime } = setUp({ works: false })
  await settler[Symbol.asyncDispose]()
  await settler.settle(unit, 'failed', 7)
  await passTime()
  expect(faults).toHaveLength(1)
})
