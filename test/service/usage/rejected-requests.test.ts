import { expect, test } from 'bun:test'

import { HOUR_MS } from '../../../src/core/duration.ts'
import type { RejectedRequests } from '../../../src/core/rejected-requests.ts'
import { createRejectedRequests, LOGGED_PER_HOUR } from '../../../src/service/usage/rejected-requests.ts'

const NOON = Date.UTC(2026, 10, 28, 12)

function setUp() {
  const written: (readonly RejectedRequests[])[] = []
  const added: string[] = []
  const errors: unknown[] = []
  const world = { fault: null as Error | null }
  let run = () => {}
  const rejected = createRejectedRequests({
    keys: {
      async countRejected(rows) {
        if (world.fault) throw world.fault
        written.push(rows)
        return rows.filter(({ keyId }) => keyId !== 'gone')
      },
    },
    usage: { addFailures: async (rows) => void added.push(...rows.map(({ keyId }) => keyId)) },
    repeat(task) {
      run = task
      return { [Symbol.dispose]() {} }
    },
    onError: (error) => void errors.push(error),
  })
  /** A tick of the timer, and the end of its write. */
  const tick = async () => {
    run()
    await Bun.sleep(0)
  }
  return { rejected, written, added, errors, world, tick }
}

const key = (keyId: string) => ({ keyId, userId: 'u1' })

test('requests of a key are written as one row, and only keys that exist are in the usage', async () => {
  const { rejected, written, added, tick } = setUp()
  rejected.count(key('k2'), NOON)
  rejected.count(key('gone'), NOON)
  rejected.count(key('k1'), NOON)
  rejected.count(key('k2'), NOON + 5)
  expect(written).toEqual([])
  await tick()
  const rowOf = (keyId: string, count: number, lastAtMs: number) => ({
    ...key(keyId),
    count,
    firstAtMs: NOON,
    lastAtMs,
  })
  // Sorted by key.
  expect(written).toEqual([[rowOf('gone', 1, NOON), rowOf('k1', 1, NOON), rowOf('k2', 2, NOON + 5)]])
  expect(added).toEqual(['k1', 'k2'])
  await tick()
  expect(written).toHaveLength(1)
})

test('few requests of a key are logged in an hour, whatever other keys do', async () => {
  const { rejected } = setUp()
  const logged = (keyId: string, atMs: number, count = 50) =>
    Array.from({ length: count }, () => rejected.count(key(keyId), atMs)).filter(Boolean).length
  expect(logged('k1', NOON)).toBe(LOGGED_PER_HOUR)
  expect(logged('k2', NOON + HOUR_MS - 1, 2)).toBe(2)
  expect(logged('k1', NOON + HOUR_MS - 1)).toBe(0)
  expect(logged('k1', NOON + HOUR_MS)).toBe(LOGGED_PER_HOUR)
})

test('many keys are written in several batches, all at the end, and no more than 10,000 are kept', async () => {
  const { rejected, written, tick } = setUp()
  for (let n = 0; n < 10_001; n++) expect(rejected.count(key(`k${n}`), NOON)).toBe(n < 10_000)
  await tick()
  expect(written.map(({ length }) => length)).toEqual([100])
  await rejected[Symbol.asyncDispose]()
  expect(written.flat()).toHaveLength(10_000)
})

test('counts that cannot be written are dropped and reported', async () => {
  const { rejected, written, errors, world, tick } = setUp()
  world.fault = new Error('down')
  rejected.count(key('k1'), NOON)
  await tick()
  expect(errors).toEqual([world.fault])
  world.fault = null
  await tick()
  expect(written).toEqual([])
})
