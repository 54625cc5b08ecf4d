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
  openBudget().repeat(stepsOf(done, 'a', 3), null)
  expect(done).toEqual(['a', 'a', 'a'])
})

test('other events are handled between long steps', async () => {
  const done: string[] = []
  openBudget().repeat(stepsOf(done, 'a', 3, LONG_MS), null)
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
  budget.repeat(stepsOf(done, 'a', 3, LONG_MS), null)
  budget.repeat(stepsOf(done, 'b', 3, LONG_MS), null)
  while (done.length < 6) await nextTurn()
  expect(done.join('')).toBe('aababb')
})

test('long work is the last that ends in its turn, and short work that waited ends together', async () => {
  const done: string[] = []
  const budget = openBudget()
  budget.repeat(stepsOf(done, 'a', 2), null)
  budget.repeat(stepsOf(done, 'b', 1, 5), null)
  for (const name of ['c', 'd']) budget.repeat(stepsOf(done, name, 2), null)
  expect(done.join('')).toBe('aab')
  await nextTurn()
  expect(done.join('')).toBe('aabcdcd')
})

test('long work that ends with a short step is the last of its turn', async () => {
  const done: string[] = []
  const budget = openBudget()
  const [long, short] = [stepsOf(done, 'a', 1, LONG_MS), stepsOf(done, 'b', 1)]
  let steps = 0
  budget.repeat(() => (steps++ === 0 ? !long() : short()), null)
  budget.repeat(stepsOf(done, 'c', 1), null)
  expect(done.join('')).toBe('a')
  await nextTurn()
  expect(done.join('')).toBe('ab')
  await nextTurn()
  expect(done.join('')).toBe('abc')
})

test('work that must be alone is the only one that ends in its turn', async () => {
  const done: string[] = []
  const budget = openBudget()
  for (const name of ['a', 'b']) void budget.alone(null).then(() => done.push(name))
  expect(done).toEqual([])
  await nextTurn()
  expect(done).toEqual(['a'])
  await nextTurn()
  expect(done).toEqual(['a', 'b'])
})

test('work that comes later waits for a turn with time', async () => {
  const done: string[] = []
  const budget = openBudget()
  budget.repeat(stepsOf(done, 'a', 1, LONG_MS), null)
  budget.repeat(stepsOf(done, 'b', 1), null)
  expect(done).toEqual(['a'])
  await nextTurn()
  expect(done).toEqual(['a', 'b'])
  await nextTurn()
  budget.repeat(stepsOf(done, 'c', 2), null)
  expect(done).toEqual(['a', 'b', 'c', 'c'])
})

test('a step of a user waits for one step of each other user', async () => {
  const done: string[] = []
  const budget = openBudget()
  // All turns of this test are spent after one step.
  for (let i = 0; i < 4; i++) budget.repeat(stepsOf(done, 'a', 3, LONG_MS), 'a')
  budget.repeat(stepsOf(done, 'b', 2, LONG_MS), 'b')
  budget.repeat(stepsOf(done, 'c', 1, LONG_MS), 'c')
  while (done.length < 15) await nextTurn()
  expect(done.join('')).toBe('aabcabaaaaaaaaa')
})

test('a page that must be alone takes turns with those of other users', async () => {
  const done: string[] = []
  const budget = openBudget()
  for (let i = 0; i < 4; i++) void budget.alone('a').then(() => done.push('a'))
  void budget.alone('b').then(() => done.push('b'))
  while (done.length < 5) await nextTurn()
  expect(done.join('')).toBe('abaaa')
})
