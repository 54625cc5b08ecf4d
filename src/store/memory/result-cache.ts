import { LRUCache } from 'lru-cache'

import type { ResultCache, StoredResult } from '../../core/ports.ts'

/** Results kept in memory in front of a slower cache; with typical answers of 1 KB, about 10 MB. */
const MAX_RESULTS = 10_000

/** Memory they may take together, in bytes of UTF-16 text: pages with answers of 50 KB must not add up to 1 GB. */
const MAX_BYTES = 64 * 1024 * 1024

/** What a result costs beside its text: map entry, key object, list links. */
const OVERHEAD_BYTES = 256

/** The most recently asked results of `behind`, kept in memory; whatever is not there is asked and stored behind. */
export function memoryResultCache(behind: ResultCache): ResultCache {
  const memory = new LRUCache<string, StoredResult>({
    max: MAX_RESULTS,
    maxSize: MAX_BYTES,
    sizeCalculation: (result, cacheKey) => OVERHEAD_BYTES + 2 * (result.json.length + cacheKey.length),
  })

  return {
    async get(cacheKey) {
      const held = memory.get(cacheKey)
      if (held) return held
      const stored = await behind.get(cacheKey)
      // A newer result may have been put while the older one was being read.
      if (stored && !memory.has(cacheKey)) memory.set(cacheKey, stored)
      return stored
    },

    async put(cacheKey, result) {
      memory.set(cacheKey, result)
      await behind.put(cacheKey, result)
    },

    count: () => behind.count(),

    async sweep(storedBeforeMs) {
      for (const [cacheKey, result] of memory.entries()) if (result.storedAtMs < storedBeforeMs) memory.delete(cacheKey)
      return behind.sweep(storedBeforeMs)
    },
  }
}
