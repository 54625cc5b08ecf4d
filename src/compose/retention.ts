import { CLOCK_TOLERANCE_MS } from '../core/freshness.ts'
import { dayOf, monthOf } from '../core/period.ts'
import type { PlaygroundResults, ResultCache } from '../core/ports.ts'
import type { KeyRing } from '../service/key-ring.ts'
import type { SqliteStores } from '../store/sqlite/open.ts'

/** Acts of operators and days of usage are kept for 13 months, so that a month can be compared with that of last year. */
const HISTORY_KEPT_MS = 397 * 24 * 60 * 60_000

export interface RetentionParts {
  stores: SqliteStores
  cache: ResultCache
  playgroundResults: PlaygroundResults
  keyRing: KeyRing
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
}

/** What is deleted when it is past its time. Each task works in small steps, off the way of requests. */
export function retentionTasks({ stores, cache, playgroundResults, keyRing, ttlMs, now }: RetentionParts) {
  const { sessions, tickets, audit, usage } = stores
  return {
    results: () => cache.sweep(now() - ttlMs, now() + CLOCK_TOLERANCE_MS),
    'results of the playground': () => playgroundResults.sweep(now()),
    sessions: () => sessions.sweep(now()),
    tickets: () => tickets.sweep(now()),
    keys: () => keyRing.sweep(),
    audit: () => audit.sweep(now() - HISTORY_KEPT_MS),
    usage: () => usage.sweepDays(dayOf(now() - HISTORY_KEPT_MS)),
    'usage of deleted accounts': () => usage.sweep(monthOf(now())),
    space: () => stores.shrink(),
  }
}
