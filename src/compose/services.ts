import type { LoadedConfig } from '../config.ts'
import { createWebhookSender } from '../fetch/webhooks.ts'
import { createMetrics } from '../metrics.ts'
import { createStatistics } from '../service/operation/statistics.ts'
import { startUsageAlerts } from '../service/usage/usage-alerts.ts'
import { COMMIT, VERSION } from '../version.ts'
import { accountServices } from './accounts.ts'
import { freeBytes } from './data/data-dir.ts'
import { warnAboutExposure } from './doctor/exposure.ts'
import { liveConfig } from './live-config.ts'
import { openMetering } from './metering.ts'
import { openReading } from './reading.ts'
import type { ServerReaderOptions } from './server-reader.ts'
import { openStorage } from './storage.ts'
import { systemDeps } from './system-deps.ts'
import { startUpkeep } from './upkeep.ts'
import { owning } from './owning.ts'

/** All parts of the server except HTTP. Disposing closes the resources in reverse order. */
export type Services = Awaited<ReturnType<typeof openServices>>

/** Values that tests use instead of the defaults. */
export interface ServiceOverrides extends Pick<ServerReaderOptions, 'workerEntry' | 'browserResponseMs'> {
  /** The timeout of a Redis command in milliseconds, if not the default. */
  redisDeadlineMs?: number | undefined
}

interface ServicesOptions extends ServiceOverrides, Pick<ServerReaderOptions, 'ownPorts' | 'log'> {
  start: LoadedConfig
}

/** @throws AppError if the data directory or the database cannot be used, or if another server uses it */
export async function openServices({ start, log, ownPorts, redisDeadlineMs, ...overrides }: ServicesOptions) {
  await using stack = new AsyncDisposableStack()
  const live = liveConfig(start)
  const { config, settings } = live
  const storage = stack.use(await openStorage(config, log, redisDeadlineMs))
  const { stores, limiter, cache, redisStatus } = storage
  const accounts = accountServices(config, settings, storage)
  await warnAboutExposure(start.config, stores, log)
  const upkeep = stack.use(startUpkeep(config, storage, accounts.keyRing, log))
  const readerOptions = { ...overrides, ownPorts, history: upkeep.renderHistory, log }
  const reading = stack.use(await openReading(config, settings, storage, readerOptions))
  const { network, reader } = reading
  const metrics = createMetrics({
    build: { version: VERSION, commit: COMMIT, runtime: `bun ${Bun.version}` },
    scraped: {
      fetches: () => reader.status().fetches,
      renders: () => reader.status().chromium,
      browsers: reader.browserCounts,
      workers: reader.workers,
      cacheEntries: () => cache.count(),
      databaseBytes: stores.databaseBytes,
      walBytes: stores.walBytes,
      sweepPaused: upkeep.isSweepPaused,
      freeBytes: () => freeBytes(config.dataDir),
      backups: upkeep.backups?.status ?? null,
      redisUp: redisStatus && (() => redisStatus().isUp),
    },
  })
  const metering = stack.use(openMetering(config, storage, { settings, network, metrics, log }))
  const usageAlerts = startUsageAlerts({
    ...stores,
    ...systemDeps,
    sender: createWebhookSender(network),
    limiter,
    settings,
    onError: (err) => log.error({ err }, 'checking usage alerts failed'),
    onAttempt({ userId, month, threshold, key, attempts }, error) {
      const fields = { userId, ...(key === null ? { month, threshold } : { key: key.id }), attempts }
      if (error === null) log.info(fields, 'alert delivered')
      else log.warn({ ...fields, error }, 'alert failed')
    },
  })
  stack.use(usageAlerts)

  return owning(stack, {
    ...storage,
    ...reading,
    ...metering,
    log,
    ...live,
    accounts,
    backups: upkeep.backups,
    metrics,
    statistics: createStatistics({ now: systemDeps.now }),
    usageAlerts,
  })
}
