import type { ResultCache } from '../../core/fetch/result-cache.ts'

/** Treats an error of `get` as a miss, so that the page is fetched. Other methods still reject. */
export function faultTolerantCache(cache: ResultCache, onError: (error: unknown) => void): ResultCache {
  const fail = (error: unknown) => {
    onError(error)
    return null
  }
  return {
    ...cache,
    get(cacheKey, options) {
      try {
        const found = cache.get(cacheKey, options)
        return found instanceof Promise ? found.catch(fail) : found
      } catch (error) {
        return fail(error)
      }
    },
  }
}
