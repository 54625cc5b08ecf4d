import { expect, test } from 'bun:test'

import { TurnBudget } from '../../../src/fetch/response/turn-budget.ts'

/** More than the time of a turn. */
const LONG_MS = 20

/** The time of a processor on which nothing else runs. */
let nowMs = 0
const openBudget = () => new TurnBudget(() => nowMs)

/** Steps of one kind of work. Each notes its name in `done`. */
function stepsOf(done: string[], name: string, count: number, takesMs = 0) {
  let left = count
  return () => {
    done.push(name)
    nowMs += takesMs
    return --left > 0
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('short steps are repeated at once', () => {
  const done: string[] = []
  openBudget().repeat(stepsOf(done, 'a', 3))
  expect(done).toEqual(['a', 'a', 'a'])
})

test('other events are handled between long steps', async () => {
  const done: string[] = []
  openBudget().repeat(stepsOf(done, 'a', 3, LONG_MS))
  const counts = [done.length]
  while (done.length < 3) {
    await nextTurn()
    counts.push(done.length)
  }
  expect(counts).toEqual([1, 2, 3])
})

test('long work takes turns with other work', async () => {
  const done: string[] = []
  const budget = openBudget()
  budget.repeat(stepsOf(done, 'a', 3, LONG_MS))
  budget.repeat(stepsOf(done, 'b', 3, LONG_MS))
  while (done.length < 6) await nextTurn()
  expect(done.join('')).toBe('aababb')
})

test('long work is the last that ends in its turn, and short work that waited ends together', async () => {
  const done: string[] = []
  const budget = openBudget()
  budget.repeat(stepsOf(done, 'a', 2))
  budget.repeat(stepsOf(done, 'b', 1, 5))
  for (const name of ['c', 'd']) budget.repeat(stepsOf(done, name, 2))
  expect(done.join('')).toBe('aab')
  await nextTurn()
  expect(done.join('')).toBe('aabcdcd')
})

test('long work that ends with a short step is the last of its turn', async () => {
  const done: string[] = []
  const budget = openBudget()
  const [long, short] = [stepsOf(done, 'a', 1, LONG_MS), stepsOf(done, 'b', 1)]
  let steps = 0
  budget.repeat(() => (steps++ === 0 ? !long() : short()))
  budget.repeat(stepsOf(done, 'c', 1))
  expect(done.join('')).toBe('a')
  await nextTurn()
  expect(done.join('')).toBe('ab')
  await nextTurn()
  expect(done.join('')).toBe('abc')
})

test('work that must be alone is the only one that ends in its turn', async () => {
  const done: string[] = []
  const budget = openBudget()
  for (const name of ['a', 'b']) void budget.alone().then(() => done.push(name))
  expect(done).toEqual([])
  await nextTurn()
  expect(done).toEqual(['a'])
  await nextTurn()
  expect(done).toEqual(['a', 'b'])
})

test('work that comes later waits for a turn with time', async () => {
  const done: string[] = []
  const budget = openBudget()
  budget.repeat(stepsOf(done, 'a', 1, LONG_MS))
  budget.repeat(stepsOf(done, 'b', 1))
  expect(done).toEqual(['a'])
  await nextTurn()
  expect(done).toEqual(['a', 'b'])
  await nextTurn()
  budget.repeat(stepsOf(done, 'c', 2))
  expect(done).toEqual(['a', 'b', 'c', 'c'])
})
