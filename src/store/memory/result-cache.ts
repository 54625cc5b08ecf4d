import { LRUCache } from 'lru-cache'

import type { FoundResult, ResultCache, StoredResult } from '../../core/fetch/result-cache.ts'

/** The maximum number of results in memory, about 13 MB. A result that is found in SQLite takes about 30 µs more CPU time. */
const MAX_RESULTS = 10_000

/** The maximum memory of all results, in bytes of UTF-16 text. A result can take 50 KB. */
const MAX_BYTES = 64 * 1024 * 1024

/** The overhead of an entry in bytes: map entry, key object, list links. */
const OVERHEAD_BYTES = 256

/**
 * Keeps the most recently used results of `backing` in memory, without their details; misses, reads of details and writes
 * go to `backing`.
 */
export function memoryResultCache(backing: ResultCache): ResultCache {
  const memory = new LRUCache<string, FoundResult>({
    max: MAX_RESULTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json }, cacheKey) => OVERHEAD_BYTES + 2 * (json.length + cacheKey.length),
  })

  function keep(cacheKey: string, { json, storedAtMs }: StoredResult) {
    memory.set(cacheKey, { json, storedAtMs, layer: 'memory' })
  }

  async function read(cacheKey: string, options?: { withDetails: boolean }) {
    const stored = await backing.get(cacheKey, options)
    // A newer result may have been stored while the older one was being read, or may not be written yet.
    const newer = memory.get(cacheKey) ?? null
    if (newer && newer.storedAtMs !== stored?.storedAtMs) return newer
    if (stored && !newer) keep(cacheKey, stored)
    return stored
  }

  return {
    get(cacheKey, options) {
      const held = memory.get(cacheKey)
      return held && !options?.withDetails ? held : read(cacheKey, options)
    },

    async put(cacheKey, result) {
      keep(cacheKey, result)
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
