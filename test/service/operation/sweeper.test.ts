import { expect, mock, spyOn, test } from 'bun:test'

import { startSweeper } from '../../../src/service/operation/sweeper.ts'

/** A sweeper whose timer is controlled by the test. */
function openSweeper(tasks: Record<string, () => Promise<unknown>>) {
  const faults: [task: string, error: unknown][] = []
  const timer = { everyMs: 0, run: () => {}, isStopped: false }
  const sweeper = startSweeper({
    tasks,
    onError: (error, task) => faults.push([task, error]),
    repeat(run, everyMs) {
      Object.assign(timer, { run, everyMs })
      return { [Symbol.dispose]: () => (timer.isStopped = true) }
    },
  })
  return { sweeper, timer, faults }
}

test('it sweeps at the start and every ten minutes, until disposed', async () => {
  let sweeps = 0
  const { sweeper, timer } = openSweeper({ count: async () => sweeps++ })
  expect([sweeps, timer.everyMs]).toEqual([1, 10 * 60_000])
  await Bun.sleep(0)
  timer.run()
  expect([sweeps, timer.isStopped]).toEqual([2, false])
  await sweeper[Symbol.asyncDispose]()
  expect(timer.isStopped).toBe(true)
})

test('sweeps do not overlap', async () => {
  const held = Promise.withResolvers<void>()
  let sweeps = 0
  const { sweeper, timer } = openSweeper({ slow: () => (sweeps++, held.promise) })
  timer.run()
  timer.run()
  expect(sweeps).toBe(1)
  held.resolve()
  await sweeper[Symbol.asyncDispose]()
})

test('a failing task is reported with its name and run again, and the others still run', async () => {
  const done: string[] = []
  const { sweeper, timer, faults } = openSweeper({
    results: async () => {
      done.push('results')
      if (done.length === 1) throw new Error('disk full')
    },
    sessions: async () => done.push('sessions'),
  })
  await Bun.sleep(0)
  timer.run()
  await sweeper[Symbol.asyncDispose]()
  expect(done).toEqual(['results', 'sessions', 'results'])
  expect(faults).toEqual([['results', new Error('disk full')]])
})

test('disposing waits for the running task and starts no other', async () => {
  const held = Promise.withResolvers<void>()
  const done: string[] = []
  let isDisposed = false
  const { sweeper } = openSweeper({ first: () => held.promise, second: async () => done.push('second') })
  const disposing = sweeper[Symbol.asyncDispose]().then(() => (isDisposed = true))
  await Bun.sleep(0)
  expect(isDisposed).toBe(false)
  held.resolve()
  await disposing
  expect(done).toEqual([])
})

test('disposing waits only briefly for a long task, whose failure is then not reported', async () => {
  const held = Promise.withResolvers<void>()
  const { sweeper, faults } = openSweeper({ long: () => held.promise })
  await sweeper[Symbol.asyncDispose]()
  held.reject(new Error('the database is closed'))
  await Bun.sleep(0)
  expect(faults).toEqual([])
})

test('by default it uses setInterval, and disposes its timer', async () => {
  const timer = { [Symbol.dispose]: mock() }
  using set = spyOn(globalThis, 'setInterval').mockReturnValue(timer as never)
  await startSweeper({ tasks: {}, onError: () => {} })[Symbol.asyncDispose]()
  expect(set).toHaveBeenCalledWith(expect.any(Function), 10 * 60_000)
  expect(timer[Symbol.dispose]).toHaveBeenCalledTimes(1)
})
