import { LRUCache } from 'lru-cache'

import type { RobotsCache } from '../../core/previews/ports.ts'

/** The memory of all files in bytes of UTF-16 text. Typical files have 2 KB, and large ones 500 KB. */
const MAX_BYTES = 4 * 1024 * 1024

/** The overhead of an entry in bytes: map entries, key, object, list links. */
const OVERHEAD_BYTES = 512

/** Keeps robots.txt files in the memory of this process. Files of another allow-list are not found. */
export function memoryRobotsCache(allowListId: () => string): RobotsCache {
  const entries = new LRUCache<string, { text: string; readAtMs: number }>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES,
    sizeCalculation: ({ text }) => OVERHEAD_BYTES + 2 * text.length,
  })
  return {
    get: (origin) => entries.get(origin + allowListId()) ?? null,
    put: (origin, file) => void entries.set(origin + allowListId(), file),
  }
}
