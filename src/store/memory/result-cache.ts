import { LRUCache } from 'lru-cache'

import { splitCacheKey } from '../../core/net/url.ts'
import type { FoundResult, ResultCache, StoredResult } from '../../core/fetch/result-cache.ts'

/** About 13 MB. A result that is found in SQLite takes about 30 µs more CPU time. */
const MAX_RESULTS = 10_000

/** The maximum memory of all results, in bytes of UTF-16 text. A result can take 50 KB. */
const MAX_BYTES = 64 * 1024 * 1024

/** The overhead of an entry in bytes: map entry, key object, list links. */
const OVERHEAD_BYTES = 256

/** Stores nothing. */
export const NO_RESULTS: ResultCache = {
  get: async () => null,
  put: async () => {},
  count: async () => 0,
  sweep: async () => 0,
  variantsOf: async () => [],
  deletePage: async () => 0,
  deletedPages: async () => [],
}

/** Keeps the most recently used results of `backing` in memory. Misses, reads of details and writes go to `backing`. */
export function memoryResultCache(backing: ResultCache): ResultCache {
  const memory = new LRUCache<string, FoundResult>({
    max: MAX_RESULTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json }, cacheKey) => OVERHEAD_BYTES + 2 * (json.length + cacheKey.length),
  })

  /** Incremented when a page is deleted, so that a read that began before the deletion is not kept. */
  let generation = 0

  function keep(cacheKey: string, { json, storedAtMs }: StoredResult) {
    memory.set(cacheKey, { json, storedAtMs, layer: 'memory' })
  }

  async function read(cacheKey: string, options?: { withDetails: boolean }) {
    const before = generation
    const stored = await backing.get(cacheKey, options)
    // During the read, a newer result may have been stored, or may still be waiting to be written to `backing`.
    const newer = memory.get(cacheKey) ?? null
    if (newer && newer.storedAtMs !== stored?.storedAtMs) return newer
    if (stored && !newer && generation === before) keep(cacheKey, stored)
    return stored
  }

  return {
    ...backing,

    get(cacheKey, options) {
      const held = memory.get(cacheKey)
      return held && !options?.withDetails ? held : read(cacheKey, options)
    },

    async put(cacheKey, result) {
      keep(cacheKey, result)
      await backing.put(cacheKey, result)
    },

    async sweep(storedBeforeMs, storedAfterMs) {
      for (const [cacheKey, { storedAtMs }] of memory.entries()) {
        if (storedAtMs < storedBeforeMs || storedAtMs > storedAfterMs) memory.delete(cacheKey)
      }
      return backing.sweep(storedBeforeMs, storedAfterMs)
    },

    async deletePage(page, announce) {
      const deleted = await backing.deletePage(page, announce)
      for (const cacheKey of memory.keys()) if (splitCacheKey(cacheKey).page === page) memory.delete(cacheKey)
      generation++
      return deleted
    },
  }
}
