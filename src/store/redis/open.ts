import type { PlaygroundResults } from '../../core/saved-results/ports.ts'
import { UNSHARED_LEASES } from '../../core/fetch/leases.ts'
import type { ResultCache } from '../../core/fetch/result-cache.ts'
import { memoryPlaygroundResults } from '../memory/playground-results.ts'
import { memoryRateLimiter } from '../memory/rate-limiter.ts'
import { memoryResultCache, NO_RESULTS } from '../memory/result-cache.ts'
import { type Method, wrapMethods } from '../wrap-methods.ts'
import { connectRedis, RedisUnavailableError, type RedisConnectionOptions } from './connection.ts'
import { redisFetchLeases } from './fetch-leases.ts'
import { redisPlaygroundResults } from './playground-results.ts'
import { redisRateLimiter } from './rate-limiter.ts'
import { redisResultCache, type RedisResultCacheOptions } from './result-cache.ts'

/** State that all processes share. While Redis is unavailable, each process has its own state. */
export async function openRedis(options: RedisConnectionOptions & RedisResultCacheOptions) {
  const connection = await connectRedis(options)
  return {
    // While Redis is unavailable, each process counts separately, starting at zero.
    limiter: withFallback(redisRateLimiter(connection), memoryRateLimiter()),
    results: resultCacheWithFallback(redisResultCache(connection, options)),
    playgroundResults: playgroundResultsWithFallback(redisPlaygroundResults(connection)),
    // While Redis is unavailable, each process fetches separately.
    leases: withFallback(redisFetchLeases(connection), UNSHARED_LEASES),
    status: connection.status,
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

/** Wraps a store: while Redis is unavailable, the same method of `own` is called instead. */
function withFallback<Store extends object>(shared: Store, own: Store): Store {
  const ownMethods = own as Record<string, Method>
  return wrapMethods(shared, (method, name) => (...args) => {
    return unlessUnavailable(method(...args), () => ownMethods[name]!(...args))
  })
}

/**
 * A process uses results that it stored itself only while Redis is unavailable, because other processes may have
 * replaced the results.
 */
function resultCacheWithFallback(shared: ResultCache): ResultCache {
  const own = memoryResultCache(NO_RESULTS)
  return {
    get: (...args) => unlessUnavailable(shared.get(...args), () => own.get(...args)),
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
    deletedPages: () => unlessUnavailable(shared.deletedPages(), async () => []),
  }
}

/** A process finds the results that it stored itself while Redis was unavailable, even when it is available again. */
function playgroundResultsWithFallback(shared: PlaygroundResults): PlaygroundResults {
  const own = memoryPlaygroundResults()
  return {
    put: (result) => unlessUnavailable(shared.put(result), () => own.put(result)),
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
