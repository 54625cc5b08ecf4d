import { CLOCK_TOLERANCE_MS } from '../core/freshness.ts'
import { dayOf, monthOf } from '../core/period.ts'
import type { PlaygroundResults, ResultCache } from '../core/state-ports.ts'
import { REQUEST_LOG_RETENTION_MS } from '../core/request-log.ts'
import type { KeyRing } from '../service/key-ring.ts'
import type { StoredRenderHistory } from '../store/memory/render-history.ts'
import type { OpenStores } from './stores.ts'

/**
 * Audit log entries, daily usage and usage alerts are kept for 13 months, so that a month can be compared with the same
 * month of last year.
 */
const HISTORY_RETENTION_MS = 397 * 24 * 60 * 60_000

export interface RetentionDeps {
  stores: OpenStores
  cache: ResultCache
  playgroundResults: PlaygroundResults
  keyRing: KeyRing
  /** Null if early rendering is off. */
  renderHistory: StoredRenderHistory | null
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
}

/** The sweeper's tasks by name. Each deletes expired rows in small steps between requests. */
export function retentionTasks(deps: RetentionDeps) {
  const { stores, cache, playgroundResults, keyRing, renderHistory, ttlMs, now } = deps
  const { sessions, tickets, audit, usage, requestLog, alerts } = stores
  return {
    // First, because it also reads the hosts when the server starts.
    ...(renderHistory !== null && { 'rendered hosts': () => renderHistory.refresh() }),
    results: () => cache.sweep(now() - ttlMs, now() + CLOCK_TOLERANCE_MS),
    'results of the playground': () => playgroundResults.sweep(now()),
    sessions: () => sessions.sweep(now()),
    tickets: () => tickets.sweep(now()),
    keys: () => keyRing.sweep(),
    audit: () => audit.sweep(now() - HISTORY_RETENTION_MS),
    usage: () => usage.sweepDays(dayOf(now() - HISTORY_RETENTION_MS)),
    'usage of deleted accounts': () => usage.sweep(monthOf(now())),
    'request log': () => requestLog.sweep(now() - REQUEST_LOG_RETENTION_MS),
    'usage alerts': () => alerts.sweep(now() - HISTORY_RETENTION_MS),
    ...stores.housekeeping,
  }
}
