import type { ResultCache } from '../../core/fetch/result-cache.ts'

/**
 * Treats a read error as a miss, so that the page is fetched when the cache cannot be read. `put` and `sweep` still
 * reject.
 */
export function faultTolerantCache(cache: ResultCache, onError: (error: unknown) => void): ResultCache {
  async function withFallback<T, F>(read: Promise<T>, fallback: F): Promise<T | F> {
    try {
      return await read
    } catch (error) {
      onError(error)
      return fallback
    }
  }
  return {
    ...cache,
    get: (cacheKey, options) => withFallback(cache.get(cacheKey, options), null),
    count: () => withFallback(cache.count(), 0),
  }
}
