import { expect, test } from 'bun:test'

import type { LoggedRequest, RequestLog } from '../../../src/core/usage/request-log.ts'
import { createRequestRecorder } from '../../../src/service/usage/request-recorder.ts'

/** A recorder with a store that can be blocked or fail. */
function setUp() {
  const batches: LoggedRequest[][] = []
  const trimmed: object[] = []
  const errors: unknown[] = []
  const state = { dropped: 0, random: 1, append: async () => {} }
  let run = () => {}
  const log: Partial<RequestLog> = {
    async append(requests) {
      batches.push([...requests])
      await state.append()
    },
    async trim(owner, ids, keep) {
      trimmed.push({ owner, ids, keep })
    },
  }
  const recorder = createRequestRecorder({
    log: log as RequestLog,
    repeat: (tick) => {
      run = tick
      return { [Symbol.dispose]: () => (run = () => {}) }
    },
    random: () => state.random,
    onDropped: (count) => void (state.dropped += count),
    onError: (error) => void errors.push(error),
  })
  /** A tick of the timer, and the end of its write. */
  const tick = async () => {
    run()
    await Bun.sleep(0)
  }
  const record = (userId: string, count = 1) => {
    for (let n = 0; n < count; n++)
      recorder.record(userId, () => ({ userId, keyId: `key of ${userId}`, requestId: `${n}` }) as LoggedRequest)
  }
  return { recorder, record, tick, batches, trimmed, errors, state }
}

test('requests are written together at the next tick; without any, nothing is written', async () => {
  const { record, tick, batches } = setUp()
  record('u1', 3)
  expect(batches).toEqual([])
  await tick()
  await tick()
  expect(batches.map(({ length }) => length)).toEqual([3])
})

test('one user is sampled without displacing others, and all together are bounded', async () => {
  const { record, tick, batches, state } = setUp()
  record('busy', 101)
  record('quiet')
  await tick()
  expect(batches[0]!.length).toBe(101)
  for (let n = 0; n < 251; n++) record(`user ${n}`)
  await tick()
  expect(batches[1]!.length).toBe(250)
  await tick()
  expect(state.dropped).toBe(2)
})

test('while a write takes long, requests are collected within the same bounds', async () => {
  const { record, tick, batches, state } = setUp()
  const held = Promise.withResolvers<void>()
  state.append = () => held.promise
  record('u1')
  await tick()
  record('u1', 150)
  await tick()
  expect(batches).toHaveLength(1)
  state.append = async () => {}
  held.resolve()
  await Bun.sleep(0)
  await tick()
  expect(batches.map(({ length }) => length)).toEqual([1, 100])
  expect(state.dropped).toBe(50)
})

test.each([
  ['nothing', 0.01, []],
  ['the key, once in a hundred requests', 0.009, [{ owner: 'keyId', ids: ['key of u1'], keep: 1_000 }]],
  ['nothing of the user', 0.001, [{ owner: 'keyId', ids: ['key of u1'], keep: 1_000 }]],
  [
    'the user, once in a thousand requests',
    0.0009,
    [
      { owner: 'keyId', ids: ['key of u1'], keep: 1_000 },
      { owner: 'userId', ids: ['u1'], keep: 10_000 },
    ],
  ],
])('trims %s', async (_, random, expected) => {
  const { record, tick, trimmed, state } = setUp()
  state.random = random
  record('u1', 2)
  await tick()
  expect(trimmed).toEqual(expected)
})

test('a failed write is reported and counted, and the next one works', async () => {
  const { record, tick, batches, errors, state } = setUp()
  state.append = () => Promise.reject(new Error('locked'))
  record('u1', 2)
  await tick()
  expect([errors.length, state.dropped]).toEqual([1, 2])
  state.append = async () => {}
  record('u1')
  await tick()
  expect(batches.map(({ length }) => length)).toEqual([2, 1])
})

test('the last requests are written when it is disposed', async () => {
  const { recorder, record, batches } = setUp()
  record('u1', 2)
  await recorder[Symbol.asyncDispose]()
  expect(batches.map(({ length }) => length)).toEqual([2])
})
