import type { ResultCache } from '../../core/fetch/result-cache.ts'

/** Treats an error of `get` and `count` as a miss, so that the page is fetched. Other methods still reject. */
export function faultTolerantCache(cache: ResultCache, onError: (error: unknown) => void): ResultCache {
  function withFallback<T, F>(read: () => T | Promise<T>, fallback: F): T | F | Promise<T | F> {
    const fail = (error: unknown) => {
      onError(error)
      return fallback
    }
    try {
      const found = read()
      return found instanceof Promise ? found.catch(fail) : found
    } catch (error) {
      return fail(error)
    }
  }
  return {
    ...cache,
    get: (cacheKey, options) => withFallback(() => cache.get(cacheKey, options), null),
    count: async () => withFallback(() => cache.count(), 0),
  }
}
