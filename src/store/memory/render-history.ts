import { LRUCache } from 'lru-cache'

import { DAY_MS } from '../../core/duration.ts'
import { CLOCK_TOLERANCE_MS } from '../../core/fetch/freshness.ts'
import { RENDERED_HOST_RETENTION_MS } from '../../core/lifetimes.ts'
import { MAX_RENDERED_HOSTS } from '../../core/limits.ts'
import type { RenderedHosts } from '../../core/fetch/render-history.ts'

/**
 * A host is rendered after this many consecutive pages that needed a browser. One page is not enough, because a host
 * with articles may also have a single application.
 */
const PAGES_NEEDED = 3

/** The time of a stored host is updated at most this often, so that a busy host is not written with every page. */
const UPDATE_EVERY_MS = DAY_MS

export interface RenderHistoryDeps {
  /** Keeps the hosts across restarts; null keeps them in memory only. */
  stored: RenderedHosts | null
  now: () => number
  /** Called when `stored` fails. Only the hosts in memory are used then. */
  onError: (error: unknown) => void
}

export type StoredRenderHistory = ReturnType<typeof memoryRenderHistory>

interface Entry {
  consecutivePages: number
  /** Null if the host is not stored. */
  storedAtMs: number | null
}

/** Keeps all hosts in memory, so that no fetch waits for the store. Disposing waits for background writes. */
export function memoryRenderHistory({ stored, now, onError }: RenderHistoryDeps) {
  const entries = new LRUCache<string, Entry>({
    max: MAX_RENDERED_HOSTS,
    ttl: RENDERED_HOST_RETENTION_MS,
    // Read the clock at every lookup, because tests control it.
    ttlResolution: 0,
    perf: { now },
  })
  /** Each fetch starts at most one write. */
  const writes = new Set<Promise<void>>()

  function write(writing: Promise<void>, onFailure = () => {}): void {
    const settled = writing
      .catch((error: unknown) => {
        onFailure()
        onError(error)
      })
      .finally(() => writes.delete(settled))
    writes.add(settled)
  }

  function confirm(host: string, entry: Entry | undefined): void {
    const consecutivePages = Math.min(PAGES_NEEDED, (entry?.consecutivePages ?? 0) + 1)
    const next: Entry = { consecutivePages, storedAtMs: entry?.storedAtMs ?? null }
    entries.set(host, next)
    const confirmedAtMs = now()
    const isStored = next.storedAtMs !== null && confirmedAtMs - next.storedAtMs < UPDATE_EVERY_MS
    if (stored === null || consecutivePages < PAGES_NEEDED || isStored) return
    next.storedAtMs = confirmedAtMs
    // After a failure, the next page that needs a browser writes the host again.
    write(stored.put({ host, confirmedAtMs }), () => (next.storedAtMs = null))
  }

  return {
    needsBrowser: (host: string) => (entries.get(host)?.consecutivePages ?? 0) >= PAGES_NEEDED,

    note(host: string, neededBrowser: boolean) {
      const entry = entries.get(host)
      if (neededBrowser) return confirm(host, entry)
      entries.delete(host)
      if (stored !== null && entry !== undefined && entry.storedAtMs !== null) write(stored.delete(host))
    },

    /** Deletes expired hosts from the store, then reads the hosts that this process and others have stored. */
    async refresh(nowMs: number) {
      if (stored === null) return
      const startedAtMs = now()
      await stored.sweep(nowMs - RENDERED_HOST_RETENTION_MS, nowMs + CLOCK_TOLERANCE_MS)
      const hosts = await stored.list()
      const listed = new Set(hosts.map(({ host }) => host))
      for (const [host, { storedAtMs }] of entries.entries()) {
        // Another process deleted the host, or the host was among the oldest of too many.
        if (storedAtMs !== null && storedAtMs < startedAtMs && !listed.has(host)) entries.delete(host)
      }
      for (const { host, confirmedAtMs } of hosts.toReversed()) {
        if (entries.peek(host)?.storedAtMs === confirmedAtMs) continue
        entries.set(host, { consecutivePages: PAGES_NEEDED, storedAtMs: confirmedAtMs }, { start: confirmedAtMs })
      }
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(writes)
    },
  }
}
