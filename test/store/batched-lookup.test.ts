import { expect, test } from 'bun:test'

import { batchedLookup } from '../../src/store/postgres/batched-lookup.ts'

/** A lookup whose turns and reads are completed by the test. */
function setUp() {
  const reads: { keys: readonly string[]; result: PromiseWithResolvers<ReadonlyMap<string, number>> }[] = []
  const ends: (() => void)[] = []
  const readAll = (keys: readonly string[]) => {
    const result = Promise.withResolvers<ReadonlyMap<string, number>>()
    reads.push({ keys, result })
    return result.promise
  }
  const lookUp = batchedLookup(readAll, (run) => void ends.push(run))
  const endTurn = () => ends.splice(0).forEach((end) => end())
  return { lookUp, reads, endTurn }
}

test('lookups of one turn share a read, and a key is only read once', async () => {
  const { lookUp, reads, endTurn } = setUp()
  const found = Promise.all(['a', 'b', 'a', 'unknown'].map(lookUp))
  endTurn()
  expect(reads.map(({ keys }) => keys)).toEqual([['a', 'b', 'unknown']])
  reads[0]!.result.resolve(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  )
  expect(await found).toEqual([1, 2, 1, null])
})

test('a lookup never joins a read that started before it', async () => {
  const { lookUp, reads, endTurn } = setUp()
  const first = lookUp('a')
  endTurn()
  const second = lookUp('a')
  reads[0]!.result.resolve(new Map([['a', 1]]))
  expect(await first).toBe(1)
  endTurn()
  reads[1]!.result.resolve(new Map())
  expect(await second).toBeNull()
})

test('a failed read only rejects its own lookups', async () => {
  const { lookUp, reads, endTurn } = setUp()
  const failing = lookUp('a')
  endTurn()
  const next = lookUp('b')
  reads[0]!.result.reject(new Error('gone'))
  await expect(failing).rejects.toThrow('gone')
  endTurn()
  reads[1]!.result.resolve(new Map([['b', 2]]))
  expect(await next).toBe(2)
})

test('the number of waiting lookups is limited', async () => {
  const { lookUp } = setUp()
  for (let i = 0; i < 20_000; i++) void lookUp(`k${i}`)
  await expect(lookUp('one more')).rejects.toThrow('20000 requests are already waiting')
})
