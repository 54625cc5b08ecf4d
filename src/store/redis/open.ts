import type { PlaygroundResults } from '../../core/previews/ports.ts'
import type { ResultCache } from '../../core/fetch/result-cache.ts'
import { localFetchLeases } from '../memory/fetch-leases.ts'
import { memoryPlaygroundResults } from '../memory/playground-results.ts'
import { memoryRateLimiter } from '../memory/rate-limiter.ts'
import { memoryResultCache, NO_RESULTS } from '../memory/result-cache.ts'
import { type Method, wrapMethods } from '../wrap-methods.ts'
import { connectRedis, RedisUnavailableError, type RedisConnectionOptions } from './connection.ts'
import { redisFetchLeases } from './fetch-leases.ts'
import { redisPlaygroundResults } from './playground-results.ts'
import { redisRateLimiter } from './rate-limiter.ts'
import { redisResultCache, type RedisResultCacheOptions } from './result-cache.ts'

/** State that all processes share. While Redis is unavailable, each process has its own. */
export async function openRedis(options: RedisConnectionOptions & RedisResultCacheOptions) {
  const connection = await connectRedis(options)
  return {
    // While Redis is unavailable, each process counts separately, starting at zero.
    limiter: withFallback(redisRateLimiter(connection), memoryRateLimiter()),
    results: resultCacheWithFallback(redisResultCache(connection, options)),
    playgroundResults: playgroundResultsWithFallback(redisPlaygroundResults(connection)),
    // While Redis is unavailable, each process fetches separately.
    leases: withFallback(redisFetchLeases(connection), localFetchLeases),
    status: connection.status,
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

/** A store whose methods call those of `own` while Redis is unavailable. */
function withFallback<T extends object>(shared: T, own: T): T {
  const methods = own as Record<string, Method>
  return wrapMethods(shared, (method: Method, name) => {
    const ownMethod = methods[name]!
    return (...args) => unlessUnavailable(method(...args), () => ownMethod(...args))
  })
}

/** A process uses results that it stored itself only while Redis is unavailable: others may have replaced them. */
function resultCacheWithFallback(shared: ResultCache): ResultCache {
  const own = memoryResultCache(NO_RESULTS)
  return {
    ...withFallback(shared, own),
    async put(cacheKey, result) {
      await own.put(cacheKey, result)
      await unlessUnavailable(shared.put(cacheKey, result), async () => {})
    },
    async sweep(...times) {
      await own.sweep(...times)
      return await unlessUnavailable(shared.sweep(...times), async () => 0)
    },
    async deletePage(...args) {
      await own.deletePage(...args)
      return await shared.deletePage(...args)
    },
    count: () => shared.count(),
    variantsOf: (page) => shared.variantsOf(page),
  }
}

/** A process finds the results that it stored itself while Redis was unavailable, even when it is available again. */
function playgroundResultsWithFallback(shared: PlaygroundResults): PlaygroundResults {
  const own = memoryPlaygroundResults()
  return {
    ...withFallback(shared, own),
    async get(...args) {
      return (await unlessUnavailable(shared.get(...args), async () => null)) ?? (await own.get(...args))
    },
    async sweep(nowMs) {
      return (await own.sweep(nowMs)) + (await unlessUnavailable(shared.sweep(nowMs), async () => 0))
    },
  }
}

async function unlessUnavailable<T>(shared: T | Promise<T>, own: () => T | Promise<T>): Promise<T> {
  try {
    return await shared
  } catch (error) {
    if (!(error instanceof RedisUnavailableError)) throw error
    return await own()
  }
}
