import { describe, expect, test } from 'bun:test'

import type { FoundResult } from '../../src/core/fetch/result-cache.ts'
import { memoryPlaygroundResults } from '../../src/store/memory/playground-results.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'
import { memoryResultCache, NO_RESULTS } from '../../src/store/memory/result-cache.ts'
import { playgroundResultsContract } from './playground-results-contract.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'
import { resultCacheContract } from './result-cache-contract.ts'
import { openTemporary } from './temporary-sqlite.ts'

rateLimiterContract('memory', memoryRateLimiter)

playgroundResultsContract('memory', memoryPlaygroundResults)

test('playground results of all users are bounded in number and bytes', async () => {
  for (const [users, characters, expected] of [
    [3_000, 10, 2_000],
    [1_000, 100_000, 167],
  ] as const) {
    const results = memoryPlaygroundResults()
    const json = 'x'.repeat(characters)
    for (let i = 0; i < users; i++) await results.put({ id: `${i}`, userId: `u${i}`, json, expiresAtMs: 1 })
    const kept = await Promise.all(Array.from({ length: users }, (_, i) => results.get(`u${i}`, `${i}`, 0)))
    expect(kept.filter((text) => text !== null)).toHaveLength(expected)
    expect(kept.at(-1)).toBe(json)
  }
})

test('a sweep keeps the results that are exactly as old and as new as it allows', async () => {
  const results = memoryResultCache(NO_RESULTS)
  for (const storedAtMs of [999, 1_000, 2_000, 2_001]) await results.put(`${storedAtMs}`, { json: '', storedAtMs })
  await results.sweep(1_000, 2_000)
  const kept = await Promise.all(['999', '1000', '2000', '2001'].map((key) => results.get(key)))
  expect(kept.map((found) => found !== null)).toEqual([false, true, true, false])
})

test('a clock that was hours ahead does not block keys for hours', async () => {
  const limiter = memoryRateLimiter()
  const now = Date.UTC(2026, 10, 20)
  const counts = [{ key: 'k', limit: 1 }]
  await limiter.take(counts, now + 3_600_000)
  expect((await limiter.take(counts, now)).allowed).toBe(true)
})

test('beyond the maximum number of keys, other keys are allowed and not counted', async () => {
  const limiter = memoryRateLimiter(2)
  const now = Date.UTC(2026, 10, 20)
  const take = async (key: string, nowMs = now) => (await limiter.take([{ key, limit: 1 }], nowMs)).allowed
  expect([await take('a'), await take('b'), await take('c')]).toEqual([true, true, true])
  expect([await take('a'), await take('b'), await take('c')]).toEqual([false, false, true])
  expect([await take('c', now + 60_000), await take('c', now + 60_000)]).toEqual([true, false])
})

describe('memory cache over sqlite', () => {
  resultCacheContract('memory cache over sqlite', (maxResults) => {
    const stores = openTemporary({ maxResults })
    return { results: memoryResultCache(stores.results), [Symbol.dispose]: () => stores[Symbol.dispose]() }
  })

  test('reads a result once from the store', async () => {
    const reads: string[] = []
    const cache = memoryResultCache({
      ...NO_RESULTS,
      get: async (key) => {
        reads.push(key)
        return { json: '{}', storedAtMs: 1, layer: 'database' }
      },
    })
    const layers = [await cache.get('k'), await cache.get('k')].map((found) => found?.layer)
    expect(layers).toEqual(['database', 'memory'])
    expect(reads).toEqual(['k'])
  })

  test('details are not kept in memory, and a result that is not written yet has none', async () => {
    const { promise: written, resolve } = Promise.withResolvers<void>()
    let stored: FoundResult | null = null
    const cache = memoryResultCache({
      ...NO_RESULTS,
      get: async () => stored,
      put: async (_, result) => {
        await written
        stored = { ...result, layer: 'database' }
      },
    })
    const putting = cache.put('k', { json: '{}', storedAtMs: 1, details: '{"sources":{}}' })
    const held: FoundResult = { json: '{}', storedAtMs: 1, layer: 'memory' }
    expect(await cache.get('k', { withDetails: true })).toEqual(held)
    resolve()
    await putting
    expect(await cache.get('k', { withDetails: true })).toEqual({
      ...held,
      details: '{"sources":{}}',
      layer: 'database',
    })
    expect(await cache.get('k')).toEqual(held)
  })

  test('a result put during a read is not overwritten by the older one', async () => {
    const read = Promise.withResolvers<FoundResult>()
    const cache = memoryResultCache({
      ...NO_RESULTS,
      get: () => read.promise,
    })
    const slow = cache.get('k')
    await cache.put('k', { json: '"new"', storedAtMs: 2 })
    read.resolve({ json: '"old"', storedAtMs: 1, layer: 'database' })
    const newer: FoundResult = { json: '"new"', storedAtMs: 2, layer: 'memory' }
    expect([await slow, await cache.get('k')]).toEqual([newer, newer])
  })

  test('a result whose page is deleted during a read is not kept', async () => {
    const read = Promise.withResolvers<FoundResult | null>()
    const reads = [read.promise, Promise.resolve(null)]
    const cache = memoryResultCache({ ...NO_RESULTS, get: () => reads.shift()! })
    const slow = cache.get('https://a.test/')
    await cache.deletePage('https://a.test/', false)
    const old: FoundResult = { json: '"old"', storedAtMs: 1, layer: 'database' }
    read.resolve(old)
    expect([await slow, await cache.get('https://a.test/')]).toEqual([old, null])
  })
})
