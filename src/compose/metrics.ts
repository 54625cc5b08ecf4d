import type { ResultCache } from '../core/state-ports.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { COMMIT, VERSION } from '../version.ts'
import type { SweepClock } from '../service/sweep-clock.ts'
import type { OpenReader } from './reader.ts'
import type { OpenStores } from './stores.ts'
import type { SharedState } from './shared-state.ts'

export interface MetricsSources {
  stores: Pick<OpenStores, 'databaseBytes' | 'walBytes'>
  cache: ResultCache
  reader: Pick<OpenReader, 'status' | 'browserCounts'>
  sweepClock: Pick<SweepClock, 'isPaused'>
  redisStatus: SharedState['redisStatus']
}

/** The metrics of this process, with the functions that read their current values. */
export function openMetrics({ stores, cache, reader, sweepClock, redisStatus }: MetricsSources): Metrics {
  return createMetrics({
    build: { version: VERSION, commit: COMMIT, runtime: `bun ${Bun.version}` },
    scraped: {
      fetches: () => reader.status().fetches,
      renders: () => reader.status().chromium,
      browsers: reader.browserCounts,
      cacheEntries: () => cache.count(),
      databaseBytes: stores.databaseBytes,
      walBytes: stores.walBytes,
      sweepPaused: sweepClock.isPaused,
      redisUp: redisStatus && (() => redisStatus().isUp),
    },
  })
}
