import { stat } from 'node:fs/promises'

import type { ResultCache } from '../core/ports.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { COMMIT, VERSION } from '../version.ts'
import type { OpenReader } from './reader.ts'
import type { SharedState } from './shared-state.ts'

export interface MetricsSources {
  databasePath: string
  cache: ResultCache
  reader: Pick<OpenReader, 'status' | 'browserCounts'>
  redisStatus: SharedState['redisStatus']
}

/** The metrics of this process and where their readings come from. */
export function openMetrics({ databasePath, cache, reader, redisStatus }: MetricsSources): Metrics {
  return createMetrics({
    build: { version: VERSION, commit: COMMIT, runtime: `bun ${Bun.version}` },
    readings: {
      fetches: () => reader.status().fetches,
      renders: () => reader.status().chromium,
      browsers: reader.browserCounts,
      cacheEntries: () => cache.count(),
      databaseBytes: async () => (await stat(databasePath)).size,
      walBytes: async () => (await stat(`${databasePath}-wal`)).size,
      redisUp: redisStatus && (() => redisStatus().isUp),
    },
  })
}
