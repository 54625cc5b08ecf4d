import type { Registry } from 'prom-client'

import type { Load } from '../core/fetch/runtime-status.ts'
import help from './help.json'
import { registerMetric } from './series.ts'

/** help.json has the description of every metric. */
export type MetricName = keyof typeof help

type ScrapedNumber = () => number | Promise<number>

/** Values read at each scrape. When reading one fails, its gauge is NaN or its counter keeps the last value. */
export interface ScrapedValues {
  fetches: () => Load
  renders: () => Load
  browsers: () => { launches: number; crashes: number; faults: number }
  workers: () => { workers: number; restarts: number }
  cacheEntries: ScrapedNumber
  databaseBytes: ScrapedNumber
  /** Bytes of the database's write-ahead log. */
  walBytes: ScrapedNumber
  sweepPaused: () => boolean
  /** Bytes that can still be written to the disk of the data directory. */
  freeBytes: ScrapedNumber
  /** Null without scheduled backups. */
  backups: (() => { last: { atMs: number } | null; everyMs: number; failures: number }) | null
  /** Whether Redis is available; null without Redis. */
  redisUp: (() => boolean) | null
}

export function addScrapedMetrics(registry: Registry, scraped: ScrapedValues): void {
  const gauge = (name: MetricName, read: ScrapedNumber) =>
    registerMetric(registry, 'gauge', name, help[name], async () => [{ value: await valueOf(read) }])

  /** A number that only grows while the process runs. */
  function counter(name: MetricName, read: ScrapedNumber) {
    let last = 0
    registerMetric(registry, 'counter', name, help[name], async () => {
      const value = await valueOf(read)
      if (!Number.isNaN(value)) last = value
      return [{ value: last }]
    })
  }

  const { fetches, renders, browsers, workers } = scraped
  gauge('urlmeta_fetches_running', () => fetches().active)
  gauge('urlmeta_fetches_waiting', () => fetches().waiting)
  gauge('urlmeta_fetches_limit', () => fetches().limit)
  gauge('urlmeta_renders_running', () => renders().active)
  gauge('urlmeta_renders_waiting', () => renders().waiting)
  gauge('urlmeta_renders_limit', () => renders().limit)
  counter('urlmeta_browser_launches_total', () => browsers().launches)
  counter('urlmeta_browser_crashes_total', () => browsers().crashes)
  counter('urlmeta_browser_faults_total', () => browsers().faults)
  gauge('urlmeta_workers', () => workers().workers)
  counter('urlmeta_worker_restarts_total', () => workers().restarts)
  gauge('urlmeta_cache_entries', scraped.cacheEntries)
  gauge('urlmeta_database_size_bytes', scraped.databaseBytes)
  gauge('urlmeta_database_wal_size_bytes', scraped.walBytes)
  gauge('urlmeta_sweep_paused', () => Number(scraped.sweepPaused()))
  gauge('urlmeta_data_dir_free_bytes', scraped.freeBytes)
  const { backups, redisUp } = scraped
  if (backups !== null) {
    gauge('urlmeta_backup_last_timestamp_seconds', () => (backups().last?.atMs ?? 0) / 1_000)
    const interval = () => backups().everyMs / 1_000
    gauge('urlmeta_backup_interval_seconds', interval)
    counter('urlmeta_backup_failures_total', () => backups().failures)
  }
  if (redisUp !== null) gauge('urlmeta_redis_up', () => Number(redisUp()))
}

async function valueOf(read: ScrapedNumber): Promise<number> {
  try {
    return await read()
  } catch {
    return Number.NaN
  }
}
