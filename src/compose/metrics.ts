import type { Config } from '../config.ts'
import type { ResultCache } from '../core/fetch/result-cache.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { COMMIT, VERSION } from '../version.ts'
import type { BackupSchedule } from '../service/operation/backup-schedule.ts'
import type { SweepClock } from '../service/operation/sweep-clock.ts'
import { freeBytes } from './data/data-dir.ts'
import type { ServerReader } from './server-reader.ts'
import type { OpenStores } from './stores.ts'
import type { SharedState } from './shared-state.ts'

export interface MetricsSources {
  stores: Pick<OpenStores, 'databaseBytes' | 'walBytes'>
  cache: ResultCache
  reader: Pick<ServerReader, 'status' | 'browserCounts' | 'workers'>
  sweepClock: Pick<SweepClock, 'isPaused'>
  backups: BackupSchedule | null
  redisStatus: SharedState['redisStatus']
}

/** The metrics of this process, with the functions that read their current values. */
export function openMetrics({ dataDir, backup }: Config, sources: MetricsSources): Metrics {
  const { stores, cache, reader, backups, sweepClock, redisStatus } = sources
  return createMetrics({
    build: { version: VERSION, commit: COMMIT, runtime: `bun ${Bun.version}` },
    scraped: {
      fetches: () => reader.status().fetches,
      renders: () => reader.status().chromium,
      browsers: reader.browserCounts,
      workers: reader.workers,
      cacheEntries: () => cache.count(),
      databaseBytes: stores.databaseBytes,
      walBytes: stores.walBytes,
      sweepPaused: sweepClock.isPaused,
      freeBytes: () => freeBytes(dataDir),
      backups: backup && backups && (() => ({ ...backups.status(), everyMs: backup.everyMs })),
      redisUp: redisStatus && (() => redisStatus().isUp),
    },
  })
}
