import { stat } from 'node:fs/promises'

import type { ResultCache } from '../core/ports.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { COMMIT, VERSION } from '../version.ts'
import type { OpenReader } from './reader.ts'

export interface MetricsSources {
  databasePath: string
  cache: ResultCache
  reader: Pick<OpenReader, 'status' | 'browserCounts'>
}

/** The metrics of this process, with the functions that read their current values. */
export function openMetrics({ databasePath, cache, reader }: MetricsSources): Metrics {
  return createMetrics({
    build: { version: VERSION, commit: COMMIT, runtime: `bun ${Bun.version}` },
    readings: {
      fetches: () => reader.status().fetches,
      renders: () => reader.status().chromium,
      browsers: reader.browserCounts,
      cacheEntries: () => cache.count(),
      databaseBytes: async () => (await stat(databasePath)).size,
      walBytes: async () => (await stat(`${databasePath}-wal`)).size,
    },
  })
}
