import { CLOCK_TOLERANCE_MS } from '../core/fetch/freshness.ts'
import { HISTORY_RETENTION_MS, REQUEST_LOG_RETENTION_MS } from '../core/lifetimes.ts'
import { dayOf, monthOf } from '../core/period.ts'
import type { KeyRing } from '../service/accounts/key-ring.ts'
import type { SweepClock } from '../service/operation/sweep-clock.ts'
import type { StoredRenderHistory } from '../store/memory/render-history.ts'
import type { Storage } from './storage.ts'

export interface RetentionDeps extends Pick<Storage, 'stores' | 'cache' | 'playgroundResults'> {
  keyRing: KeyRing
  /** Null if early rendering is off. */
  renderHistory: StoredRenderHistory | null
  ttlMs: number
  clock: SweepClock
}

/** Tasks by name. Each task deletes expired rows in small steps between requests. */
export function retentionTasks(deps: RetentionDeps) {
  const { stores, cache, playgroundResults, keyRing, renderHistory, ttlMs, clock } = deps
  const { sessions, tickets, sharedResults, audit, usage, requestLog, alerts } = stores
  /** The time of this sweep; null while nothing may be deleted. */
  let sweptAtMs: number | null = null
  const expired = (sweep: (nowMs: number) => Promise<unknown>) => async () => {
    if (sweptAtMs !== null) await sweep(sweptAtMs)
  }
  return {
    async clock() {
      // Stays null if reading the clock fails.
      sweptAtMs = null
      sweptAtMs = await clock.read()
    },
    // The first task, because it also reads the hosts when the server starts.
    ...(renderHistory !== null && { 'rendered hosts': expired(renderHistory.refresh) }),
    results: expired((nowMs) => cache.sweep(nowMs - ttlMs, nowMs + CLOCK_TOLERANCE_MS)),
    'results of the playground': expired(playgroundResults.sweep),
    sessions: expired(sessions.sweep),
    tickets: expired(tickets.sweep),
    'shared results': expired(sharedResults.sweep),
    keys: expired(keyRing.sweep),
    audit: expired((nowMs) => audit.sweep(nowMs - HISTORY_RETENTION_MS)),
    usage: expired((nowMs) => usage.sweepDays(dayOf(nowMs - HISTORY_RETENTION_MS))),
    'usage of deleted accounts': expired((nowMs) => usage.sweep(monthOf(nowMs))),
    'request log': expired((nowMs) => requestLog.sweep(nowMs - REQUEST_LOG_RETENTION_MS)),
    'usage alerts': expired((nowMs) => alerts.sweep(nowMs - HISTORY_RETENTION_MS)),
    ...stores.housekeeping,
  }
}
