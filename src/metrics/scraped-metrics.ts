import type { Registry } from 'prom-client'

import type { Load } from '../core/fetch/runtime-status.ts'
import { registerMetric } from './series.ts'

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
  const gauge = (name: string, help: string, read: ScrapedNumber) =>
    registerMetric(registry, 'gauge', name, help, async () => [{ value: await valueOf(read) }])

  /** A number that only grows while the process runs. */
  function counter(name: string, help: string, read: ScrapedNumber) {
    let last = 0
    registerMetric(registry, 'counter', name, help, async () => {
      const value = await valueOf(read)
      if (!Number.isNaN(value)) last = value
      return [{ value: last }]
    })
  }

  const { fetches, renders, browsers, workers } = scraped
  gauge('urlmeta_fetches_running', 'Pages being fetched.', () => fetches().active)
  gauge('urlmeta_fetches_waiting', 'Pages waiting for a fetch slot.', () => fetches().waiting)
  gauge('urlmeta_fetches_limit', 'Fetch slots (URLMETA_FETCH_CONCURRENCY).', () => fetches().limit)
  gauge('urlmeta_renders_running', 'Pages being rendered in Chromium.', () => renders().active)
  gauge('urlmeta_renders_waiting', 'Pages waiting for Chromium.', () => renders().waiting)
  gauge('urlmeta_renders_limit', 'Render slots (URLMETA_HEADLESS_CONCURRENCY).', () => renders().limit)
  counter('urlmeta_browser_launches_total', 'Starts of Chromium.', () => browsers().launches)
  counter('urlmeta_browser_crashes_total', 'Unexpected exits of Chromium.', () => browsers().crashes)
  counter('urlmeta_browser_faults_total', 'Failed starts, hangs and crashes of Chromium.', () => browsers().faults)
  gauge('urlmeta_workers', 'Threads that read pages (URLMETA_WORKERS).', () => workers().workers)
  counter(
    'urlmeta_worker_restarts_total',
    'Threads that did not answer or crashed, and were replaced.',
    () => workers().restarts,
  )
  gauge('urlmeta_cache_entries', 'Results stored in the database.', scraped.cacheEntries)
  gauge('urlmeta_database_size_bytes', 'Size of the database file.', scraped.databaseBytes)
  gauge('urlmeta_database_wal_size_bytes', "Size of the database's write-ahead log.", scraped.walBytes)
  gauge(
    'urlmeta_sweep_paused',
    'Whether deleting expired rows is paused because the clock has jumped ahead (1) or not (0).',
    () => Number(scraped.sweepPaused()),
  )
  gauge('urlmeta_data_dir_free_bytes', 'Free space of the disk of the data directory.', scraped.freeBytes)
  const { backups, redisUp } = scraped
  if (backups !== null) {
    gauge(
      'urlmeta_backup_last_timestamp_seconds',
      'Unix time of the last scheduled backup; 0 if there is none.',
      () => (backups().last?.atMs ?? 0) / 1_000,
    )
    const interval = () => backups().everyMs / 1_000
    gauge('urlmeta_backup_interval_seconds', 'Time between scheduled backups (URLMETA_BACKUP_EVERY).', interval)
    counter('urlmeta_backup_failures_total', 'Failed scheduled backups.', () => backups().failures)
  }
  if (redisUp !== null) gauge('urlmeta_redis_up', 'Whether Redis is available (1) or not (0).', () => Number(redisUp()))
}

async function valueOf(read: ScrapedNumber): Promise<number> {
  try {
    return await read()
  } catch {
    return Number.NaN
  }
}
