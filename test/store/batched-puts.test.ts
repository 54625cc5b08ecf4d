import { expect, test } from 'bun:test'

import { NO_RESULTS } from '../../src/store/memory/result-cache.ts'
import { batchPuts, type KeyedResult } from '../../src/store/sqlite/batched-puts.ts'
import { STEP_ROWS } from '../../src/store/sqlite/in-steps.ts'

/** A cache that records its batches; `fault` makes the next one fail. */
function recordingCache() {
  const batches: string[][] = []
  const state = { fault: null as Error | null }
  const cache = batchPuts({
    async putAll(results: readonly KeyedResult[]) {
      batches.push(results.map(({ cacheKey }) => cacheKey))
      const { fault } = state
      state.fault = null
      if (fault !== null) throw fault
    },
    ...NO_RESULTS,
  })
  const put = (cacheKey: string) => cache.put(cacheKey, { json: '{}', storedAtMs: 1 })
  return { cache, put, batches, state }
}

test('results put at about the same time are stored together, in order', async () => {
  const { cache, put, batches } = recordingCache()
  using _ = cache
  await Promise.all([put('a'), put('b')])
  await put('c')
  expect(batches).toEqual([['a', 'b'], ['c']])
})

test('a result that waits to be stored is found, with its details', async () => {
  const { cache } = recordingCache()
  using _ = cache
  const result = { json: '{}', storedAtMs: 1, details: '{"sources":{}}' }
  const stored = cache.put('a', result)
  expect(await cache.get('a')).toEqual({ ...result, layer: 'memory' })
  expect(await cache.get('b')).toBeNull()
  await stored
  expect(await cache.get('a')).toBeNull()
})

test('a full batch is stored immediately', () => {
  const { cache, put, batches } = recordingCache()
  using _ = cache
  for (let i = 0; i <= STEP_ROWS; i++) void put(String(i))
  expect(batches.map((batch) => batch.length)).toEqual([STEP_ROWS])
})

test('a failure rejects the results of its batch only', async () => {
  const { cache, put, batches, state } = recordingCache()
  using _ = cache
  const fault = new Error('disk full')
  state.fault = fault
  const settled = await Promise.allSettled([put('a'), put('b')])
  expect(settled.map((result) => result.status === 'rejected' && result.reason)).toEqual([fault, fault])
  await put('c')
  expect(batches).toEqual([['a', 'b'], ['c']])
})

test('disposing stores the waiting results', () => {
  const { cache, put, batches } = recordingCache()
  void put('a')
  cache[Symbol.dispose]()
  cache[Symbol.dispose]()
  expect(batches).toEqual([['a']])
})
