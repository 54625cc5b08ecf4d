import type { ResultCache } from '../core/ports.ts'

/**
 * A cache that answers can do without: where it cannot be read, nothing is stored, and the page is fetched. Storing and
 * sweeping still reject.
 */
export function dispensableCache(cache: ResultCache, onFault: (error: unknown) => void): ResultCache {
  async function unlessFaulty<T, F>(read: Promise<T>, fallback: F): Promise<T | F> {
    try {
      return await read
    } catch (error) {
      onFault(error)
      return fallback
    }
  }
  return {
    ...cache,
    get: (cacheKey) => unlessFaulty(cache.get(cacheKey), null),
    count: () => unlessFaulty(cache.count(), 0),
  }
}
