import { expect, test } from 'bun:test'

import { collectWhenIdle } from '../../src/compose/idle-memory.ts'
import { until } from '../site.ts'

/** A collector with a short time; `state.isBusy` is whether the thread has work. */
function open() {
  const state = { isBusy: false, collections: 0 }
  const memory = collectWhenIdle({ isIdle: () => !state.isBusy, collect: () => state.collections++, idleMs: 50 })
  return { state, memory }
}

test('memory is collected once after work has ended', async () => {
  const { state, memory } = open()
  await Bun.sleep(100)
  expect(state.collections).toBe(0)
  memory.noteEnd()
  memory.noteEnd()
  await until(() => state.collections === 1)
  await Bun.sleep(150)
  expect(state.collections).toBe(1)
  memory.noteEnd()
  await until(() => state.collections === 2)
})

test('memory is not collected between two pieces of work', async () => {
  const { state, memory } = open()
  const endMs = performance.now() + 200
  // Without a pause of the test itself, which a busy machine could make longer than the time.
  while (performance.now() < endMs) {
    memory.noteEnd()
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  expect(state.collections).toBe(0)
  await until(() => state.collections === 1)
})

test('memory is not collected while there is work', async () => {
  const { state, memory } = open()
  state.isBusy = true
  memory.noteEnd()
  await Bun.sleep(200)
  expect(state.collections).toBe(0)
  state.isBusy = false
  await until(() => state.collections === 1)
})

test('memory is not collected after disposal', async () => {
  const { state, memory } = open()
  memory.noteEnd()
  memory[Symbol.dispose]()
  await Bun.sleep(150)
  expect(state.collections).toBe(0)
})
