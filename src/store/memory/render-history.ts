import { LRUCache } from 'lru-cache'

import type { RenderHistory } from '../../core/ports.ts'

/** The number of consecutive pages that needed a browser. A single application on a host with articles is not enough. */
const PAGES_NEEDED = 3

/** A host is dropped after this time without a page that needed a browser, because sites change. */
const EXPIRY_MS = 60 * 60 * 1_000

/** About 200 bytes each. */
const MAX_HOSTS = 10_000

/**
 * Kept in memory only: after a restart the first pages of each host take longer. `now` is in milliseconds, from any point
 * in time.
 */
export function memoryRenderHistory(now: () => number = () => performance.now()): RenderHistory {
  const pagesInARow = new LRUCache<string, number>({
    max: MAX_HOSTS,
    ttl: EXPIRY_MS,
    // Read the clock at every lookup, because tests control it.
    ttlResolution: 0,
    perf: { now },
  })

  return {
    needsBrowser: (host) => (pagesInARow.get(host) ?? 0) >= PAGES_NEEDED,
    note(host, neededBrowser) {
      if (neededBrowser) pagesInARow.set(host, Math.min(PAGES_NEEDED, (pagesInARow.get(host) ?? 0) + 1))
      else pagesInARow.delete(host)
    },
  }
}
