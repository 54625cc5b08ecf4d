import { Counter, Gauge, type Registry } from 'prom-client'

interface Load {
  active: number
  waiting: number
  limit: number
}

type ScrapedValue<T> = () => T | Promise<T>

/** Values read at each scrape. When reading one fails, its gauge is NaN or its counter keeps the last value. */
export interface ScrapedValues {
  fetches: ScrapedValue<Load>
  renders: ScrapedValue<Load>
  browsers: ScrapedValue<{ launches: number; crashes: number; faults: number }>
  workers: ScrapedValue<{ workers: number; restarts: number }>
  cacheEntries: ScrapedValue<number>
  databaseBytes: ScrapedValue<number>
  /** Bytes of the database's write-ahead log. */
  walBytes: ScrapedValue<number>
  sweepPaused: ScrapedValue<boolean>
  /** Bytes that can still be written to the disk of the data directory. */
  freeBytes: ScrapedValue<number>
  /** Scheduled backups, or null. */
  backups: ScrapedValue<{ last: { atMs: number } | null; everyMs: number; failures: number }> | null
  /** Whether Redis is available; null without Redis. */
  redisUp: ScrapedValue<boolean> | null
}

/** Registers the metrics whose values are read at each scrape. */
export function addScrapedMetrics(registry: Registry, scraped: ScrapedValues): void {
  const registers = [registry]

  function gauge(name: string, help: string, read: ScrapedValue<number>) {
    return new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await valueOf(read))
      },
    })
  }

  /** A number that only grows while the process runs. */
  function counter(name: string, help: string, read: ScrapedValue<number>) {
    return new Counter({
      name,
      help,
      registers,
      async collect() {
        const value = await valueOf(read)
        if (Number.isNaN(value)) return
        this.reset()
        this.inc(value)
      },
    })
  }

  const { fetches, renders, browsers, workers } = scraped
  gauge('urlmeta_fetches_running', 'Pages being fetched.', async () => (await fetches()).active)
  gauge('urlmeta_fetches_waiting', 'Pages waiting for a fetch slot.', async () => (await fetches()).waiting)
  gauge('urlmeta_fetches_limit', 'Fetch slots (URLMETA_FETCH_CONCURRENCY).', async () => (await fetches()).limit)
  gauge('urlmeta_renders_running', 'Pages being rendered in Chromium.', async () => (await renders()).active)
  gauge('urlmeta_renders_waiting', 'Pages waiting for Chromium.', async () => (await renders()).waiting)
  gauge('urlmeta_renders_limit', 'Render slots (URLMETA_HEADLESS_CONCURRENCY).', async () => (await renders()).limit)
  counter('urlmeta_browser_launches_total', 'Starts of Chromium.', async () => (await browsers()).launches)
  counter('urlmeta_browser_crashes_total', 'Unexpected exits of Chromium.', async () => (await browsers()).crashes)
  counter(
    'urlmeta_browser_faults_total',
    'Failed starts, hangs and crashes of Chromium.',
    async () => (await browsers()).faults,
  )
  gauge('urlmeta_workers', 'Threads that read pages (URLMETA_WORKERS).', async () => (await workers()).workers)
  counter(
    'urlmeta_worker_restarts_total',
    'Threads that did not answer or crashed, and were replaced.',
    async () => (await workers()).restarts,
  )
  gauge('urlmeta_cache_entries', 'Results stored in the database.', scraped.cacheEntries)
  gauge('urlmeta_database_size_bytes', 'Size of the database file.', scraped.databaseBytes)
  gauge('urlmeta_database_wal_size_bytes', "Size of the database's write-ahead log.", scraped.walBytes)
  gauge(
    'urlmeta_sweep_paused',
    'Whether deleting expired rows is paused because the clock has jumped ahead (1) or not (0).',
    async () => Number(await scraped.sweepPaused()),
  )
  gauge('urlmeta_data_dir_free_bytes', 'Free space of the disk of the data directory.', scraped.freeBytes)
  const { backups, redisUp } = scraped
  if (backups !== null) {
    gauge(
      'urlmeta_backup_last_timestamp_seconds',
      'Unix time of the last scheduled backup; 0 if there is none.',
      async () => ((await backups()).last?.atMs ?? 0) / 1_000,
    )
    gauge(
      'urlmeta_backup_interval_seconds',
      'Time between scheduled backups (URLMETA_BACKUP_EVERY).',
      async () => (await backups()).everyMs / 1_000,
    )
    counter('urlmeta_backup_failures_total', 'Failed scheduled backups.', async () => (await backups()).failures)
  }
  if (redisUp !== null)
    gauge('urlmeta_redis_up', 'Whether Redis is available (1) or not (0).', async () => Number(await redisUp()))
}

async function valueOf(read: ScrapedValue<number>): Promise<number> {
  try {
    return await read()
  } catch {
    return Number.NaN
  }
}
