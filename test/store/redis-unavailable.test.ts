import { afterAll, describe, expect, test } from 'bun:test'

import { openRedis } from '../../src/store/redis/open.ts'
import { freePort } from '../free-port.ts'
import { playgroundResultsContract } from './playground-results-contract.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** The state of a process whose Redis does not run. */
function openAlone() {
  const opened = openRedis({ url: `redis://127.0.0.1:${freePort()}`, ttlMs: 3_600_000, maxResults: 10 })
  stack.defer(async () => (await opened)[Symbol.dispose]())
  return opened
}

const NAME = 'Redis is unavailable'

rateLimiterContract(NAME, () => {
  const opened = openAlone()
  return {
    take: async (...args) => (await opened).limiter.take(...args),
    raise: async (...args) => (await opened).limiter.raise(...args),
  }
})

playgroundResultsContract(NAME, () => {
  const opened = openAlone()
  return {
    put: async (...args) => (await opened).playgroundResults.put(...args),
    get: async (...args) => (await opened).playgroundResults.get(...args),
    sweep: async (...args) => (await opened).playgroundResults.sweep(...args),
  }
})

describe(`ResultCache: ${NAME}`, () => {
  test('a process finds the results that it stored itself; none are swept or listed, and those of all cannot be counted', async () => {
    const { results } = await openAlone()
    await results.put('k', { json: '{}', storedAtMs: 1 })
    expect(await results.get('k')).toMatchObject({ json: '{}', storedAtMs: 1 })
    expect(await results.get('other')).toBeNull()
    await expect(results.count()).rejects.toThrow()
    expect(await results.sweep(2, 2)).toBe(0)
    expect(await results.deletedPages()).toEqual([])
  })

  test('the pages of all processes cannot be listed or deleted, but those of this process are deleted', async () => {
    const { results } = await openAlone()
    await results.put('https://a.test/', { json: '{}', storedAtMs: 1 })
    await expect(results.variantsOf('https://a.test/')).rejects.toThrow()
    await expect(results.deletePage('https://a.test/', false)).rejects.toThrow()
    expect(await results.get('https://a.test/')).toBeNull()
  })
})

test(`FetchLeases: ${NAME}: each process fetches separately`, async () => {
  const { leases } = await openAlone()
  const [first, second] = [await leases.acquire('k'), await leases.acquire('k')]
  expect([first?.isShared, second?.isShared]).toEqual([false, false])
  await first!.release()
})
