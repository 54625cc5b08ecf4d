import { LRUCache } from 'lru-cache'

import type { CurrentSettings } from '../../core/settings/live-settings.ts'

/** The robots.txt files that were read, by origin and kind of caller. Their memory is limited. */
export interface RobotsCache {
  /** Null for a file that was not read, or was removed to make room for newer files. */
  get(key: string): { text: string; readAtMs: number } | null
  put(key: string, file: { text: string; readAtMs: number }): void
}

/** The memory of all files in bytes of UTF-16 text. Typical files have 2 KB, and large ones 500 KB. */
const MAX_BYTES = 4 * 1024 * 1024

/** The overhead of an entry in bytes: map entries, key, object, list links. */
const OVERHEAD_BYTES = 512

/** Keeps robots.txt files in the memory of this process. Files of another allow-list are not found. */
export function memoryRobotsCache(settings: CurrentSettings<'allowListId'>): RobotsCache {
  const entries = new LRUCache<string, { text: string; readAtMs: number }>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES,
    sizeCalculation: ({ text }) => OVERHEAD_BYTES + 2 * text.length,
  })
  return {
    get: (origin) => entries.get(origin + settings().allowListId) ?? null,
    put: (origin, file) => void entries.set(origin + settings().allowListId, file),
  }
}
