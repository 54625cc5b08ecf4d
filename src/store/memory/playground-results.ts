import { LRUCache } from 'lru-cache'

import { MAX_RESULT_CHARS, MAX_RESULTS_PER_USER, type PlaygroundResults } from '../../core/saved-results/ports.ts'

/** For all users together. */
const MAX_RESULTS = 2_000

/** The maximum memory of all results, in bytes of UTF-16 text. A typical result takes 16 to 22 KB. */
const MAX_BYTES = 32 * 1024 * 1024

/** The overhead of an entry in bytes: map entries, key, object, list links. */
const OVERHEAD_BYTES = 512

type Entry = Omit<Parameters<PlaygroundResults['put']>[0], 'id'>

/** The results are lost when the process exits. */
export function memoryPlaygroundResults(): PlaygroundResults {
  /** The ids of each user's results, oldest first. */
  const idsByUser = new Map<string, Set<string>>()

  const entries = new LRUCache<string, Entry>({
    max: MAX_RESULTS,
    maxSize: MAX_BYTES,
    // A single large result must not evict many others.
    maxEntrySize: OVERHEAD_BYTES + 2 * MAX_RESULT_CHARS,
    sizeCalculation: ({ json }) => OVERHEAD_BYTES + 2 * json.length,
    dispose({ userId }, id) {
      const ids = idsByUser.get(userId)
      ids?.delete(id)
      if (ids?.size === 0) idsByUser.delete(userId)
    },
  })

  return {
    async put({ id, ...entry }) {
      entries.set(id, entry)
      if (!entries.has(id)) return
      const ids = idsByUser.getOrInsertComputed(entry.userId, () => new Set()).add(id)
      for (const oldest of [...ids].slice(0, -MAX_RESULTS_PER_USER)) entries.delete(oldest)
    },

    async get(userId, id, nowMs) {
      // `peek` does not count as a use. Reading a result must not keep it longer than others.
      const entry = entries.peek(id)
      if (entry === undefined || entry.userId !== userId) return null
      return entry.expiresAtMs > nowMs ? entry.json : null
    },

    async sweep(nowMs) {
      const expired = [...entries.entries()].filter(([, { expiresAtMs }]) => expiresAtMs <= nowMs)
      for (const [id] of expired) entries.delete(id)
      return expired.length
    },
  }
}
