import { expect, spyOn, test } from 'bun:test'

import { startSweeper } from '../../src/service/sweeper.ts'

/** A sweeper whose timer the test turns, and what became of it. */
function openSweeper(sweep: () => Promise<unknown>) {
  const faults: unknown[] = []
  const timer = { everyMs: 0, run: () => {}, isStopped: false }
  const sweeper = startSweeper({
    sweep,
    onError: (error) => faults.push(error),
    repeat(run, everyMs) {
      Object.assign(timer, { run, everyMs })
      return { [Symbol.dispose]: () => (timer.isStopped = true) }
    },
  })
  return { sweeper, timer, faults }
}

test('sweeps immediately and every ten minutes, until disposed', async () => {
  let sweeps = 0
  const { sweeper, timer } = openSweeper(async () => sweeps++)
  expect([sweeps, timer.everyMs]).toEqual([1, 10 * 60_000])
  timer.run()
  timer.run()
  expect([sweeps, timer.isStopped]).toEqual([3, false])
  await sweeper[Symbol.asyncDispose]()
  expect(timer.isStopped).toBe(true)
})

test('a failed sweep is reported, and the next one runs', async () => {
  let sweeps = 0
  const { sweeper, timer, faults } = openSweeper(async () => {
    if (++sweeps === 1) throw new Error('disk full')
  })
  timer.run()
  await sweeper[Symbol.asyncDispose]()
  expect([sweeps, faults]).toEqual([2, [new Error('disk full')]])
})

test('disposing waits for the running sweep', async () => {
  const held = Promise.withResolvers<void>()
  let isDisposed = false
  const { sweeper } = openSweeper(() => held.promise)
  const disposing = sweeper[Symbol.asyncDispose]().then(() => (isDisposed = true))
  await Bun.sleep(0)
  expect(isDisposed).toBe(false)
  held.resolve()
  await disposing
})

test('uses and clears a timer of the process by default', async () => {
  using set = spyOn(globalThis, 'setInterval')
  using clear = spyOn(globalThis, 'clearInterval')
  await startSweeper({ sweep: async () => {}, onError: () => {} })[Symbol.asyncDispose]()
  expect(set).toHaveBeenCalledWith(expect.any(Function), 10 * 60_000)
  expect(clear).toHaveBeenCalledWith(set.mock.results[0]!.value)
})
