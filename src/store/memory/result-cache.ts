import { LRUCache } from 'lru-cache'

import type { FoundResult, ResultCache } from '../../core/ports.ts'

/** Results kept in memory; about 50 MB with typical results of 1 KB and details of 1.5 KB. */
const MAX_RESULTS = 10_000

/** Their total memory in bytes of UTF-16 text, because results can be as large as 50 KB, and their details 64 KB. */
const MAX_BYTES = 64 * 1024 * 1024

/** The overhead of an entry in bytes: map entry, key object, list links. */
const OVERHEAD_BYTES = 256

/** Keeps the most recently used results of `backing` in memory; misses and writes go to `backing`. */
export function memoryResultCache(backing: ResultCache): ResultCache {
  const memory = new LRUCache<string, FoundResult>({
    max: MAX_RESULTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json, details = '' }, cacheKey) =>
      OVERHEAD_BYTES + 2 * (json.length + details.length + cacheKey.length),
  })

  return {
    async get(cacheKey) {
      const held = memory.get(cacheKey)
      if (held) return held
      const stored = await backing.get(cacheKey)
      // A newer result may have been stored while the older one was being read.
      if (stored && !memory.has(cacheKey)) memory.set(cacheKey, { ...stored, layer: 'memory' })
      return stored
    },

    async put(cacheKey, result) {
      memory.set(cacheKey, { ...result, layer: 'memory' })
      await backing.put(cacheKey, result)
    },

    count: () => backing.count(),

    async sweep(storedBeforeMs, storedAfterMs = Number.POSITIVE_INFINITY) {
      for (const [cacheKey, { storedAtMs }] of memory.entries()) {
        if (storedAtMs < storedBeforeMs || storedAtMs > storedAfterMs) memory.delete(cacheKey)
      }
      return backing.sweep(storedBeforeMs, storedAfterMs)
    },
  }
}
