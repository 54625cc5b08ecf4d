import { messageOf } from '../core/errors.ts'
import { createFileFetcher } from '../fetch/files.ts'
import { createImageFetcher } from '../fetch/images.ts'
import { createWebhookSender } from '../fetch/webhooks.ts'
import { createMetrics } from '../metrics.ts'
import { createCachedReader } from '../service/lookup/cached-reader.ts'
import { faultTolerantCache } from '../service/lookup/fault-tolerant-cache.ts'
import { createPublicImages } from '../service/lookup/public-images.ts'
import { startBackupSchedule } from '../service/operation/backup-schedule.ts'
import { createStatistics } from '../service/operation/statistics.ts'
import { periodicTask } from '../service/operation/periodic-task.ts'
import { startSweeper } from '../service/operation/sweeper.ts'
import { createAdmission } from '../service/usage/admission.ts'
import { createFailedAuthentications } from '../service/usage/failed-authentications.ts'
import { createRequestRecorder } from '../service/usage/request-recorder.ts'
import { startUsageAlerts } from '../service/usage/usage-alerts.ts'
import { createUsageMeter } from '../service/usage/usage-meter.ts'
import { createUsageSettler } from '../service/usage/usage-settler.ts'
import { memoryRenderHistory } from '../store/memory/render-history.ts'
import { COMMIT, VERSION } from '../version.ts'
import { accountServices } from './accounts.ts'
import { backupFiles } from './data/backup.ts'
import { freeBytes, warnIfReadable } from './data/data-dir.ts'
import { openSecret } from './data/secret.ts'
import { liveConfig, type LoadedConfig } from './live-config.ts'
import { networkOptions } from './page-settings.ts'
import { retentionTasks } from './retention.ts'
import { openServerReader, type ServerReaderOptions } from './server-reader.ts'
import { clientLimiter, openSharedState } from './shared-state.ts'
import { openStores } from './stores.ts'
import { openSweepClock } from './sweep-clock.ts'
import { systemDeps } from './system-deps.ts'

/** How often deletions by `urlmeta cache delete` are read, in milliseconds. Cached requests do not check for them. */
const DELETIONS_EVERY_MS = 1_000

/** What the server needs besides HTTP. Disposing it closes the resources in reverse order. */
export type Services = Awaited<ReturnType<typeof openServices>>

/** Values that tests use instead of the defaults. */
export interface ServiceOverrides extends Pick<ServerReaderOptions, 'workerEntry' | 'browserResponseMs'> {
  /** The timeout of a Redis command in milliseconds, if not the default. */
  redisDeadlineMs?: number | undefined
}

interface ServicesOptions extends ServiceOverrides, Pick<ServerReaderOptions, 'ownPorts' | 'log'> {
  start: LoadedConfig
}

/** @throws AppError when the data directory or the database cannot be used, or another server uses it */
export async function openServices({ start, log, ownPorts, redisDeadlineMs, ...overrides }: ServicesOptions) {
  await using stack = new AsyncDisposableStack()
  const { config, settings, allowListId, apply } = liveConfig(start)
  const stores = stack.use(await openStores(config, log))
  const { limiter, results, playgroundResults, leases, redisStatus } = stack.use(
    await openSharedState(config, stores.results, log, redisDeadlineMs),
  )
  const cache = faultTolerantCache(results, (err) => log.error({ err }, 'reading the cache failed; fetching the page'))
  const { ttlMs } = config.cache
  const { now } = systemDeps
  const secret = openSecret(config)
  if (stores.isShared && config.secret === null) {
    log.warn({}, 'URLMETA_SECRET is not set: other processes reject forms and links of this one')
  }
  warnIfReadable(config, log)
  const accounts = accountServices(config, stores, limiter, secret)
  const { keyRing } = accounts
  const renderHistory = config.learnsRendering
    ? stack.use(
        memoryRenderHistory({
          stored: stores.renderedHosts,
          now,
          onError: (err) => log.error({ err }, 'writing rendered hosts failed'),
        }),
      )
    : null
  const sweepClock = openSweepClock(config, stores, log)
  stack.use(
    startSweeper({
      tasks: retentionTasks({ stores, cache, playgroundResults, keyRing, renderHistory, ttlMs, clock: sweepClock }),
      onError: (err, task) => log.error({ err, task }, 'deleting expired rows failed'),
    }),
  )
  const { backup } = config
  const backups =
    backup &&
    stack.use(
      startBackupSchedule({
        ...backup,
        files: backupFiles(config, backup.directory),
        now,
        onBackup: ({ file, bytes, tookMs }) => log.info({ file, bytes, ms: tookMs }, 'backup written'),
        onError: (err) => log.error({ err }, 'backup failed; will retry'),
        onUndeleted: (err) => log.error({ err }, 'deleting an old backup failed'),
      }),
    )
  const reader = stack.use(await openServerReader(config, { ...overrides, ownPorts, history: renderHistory, log }))
  const images = stack.use(createImageFetcher(networkOptions(config, ownPorts)))
  const files = stack.use(createFileFetcher(networkOptions(config, ownPorts)))
  const { keys, usage } = stores
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
      sweepPaused: sweepClock.isPaused,
      freeBytes: () => freeBytes(config.dataDir),
      backups: backup && backups && (() => ({ ...backups.status(), everyMs: backup.everyMs })),
      redisUp: redisStatus && (() => redisStatus().isUp),
    },
  })
  const meter = createUsageMeter({ usage, endOfTurn: setImmediate, onBatch: metrics.commit })
  const settler = stack.use(
    createUsageSettler({
      meter,
      mustRecordSuccesses: stores.isShared,
      onFault: (err) => log.error({ err }, 'recording usage failed; will retry'),
    }),
  )
  const failedAuthentications = createFailedAuthentications({ limiter: clientLimiter(), now })
  const limits = { plans: config.plans, visitorPerMinute: config.browserPerMinute }
  const admission = createAdmission({ ...limits, keys, meter, settler, limiter, failedAuthentications, now })
  const publicImages = config.imageProxy
    ? createPublicImages({
        // Shares no slots with the dashboard. Rules for sites do not apply: their headers and cookies are for pages.
        images: stack.use(createImageFetcher({ ...networkOptions(config, ownPorts), sites: [] })),
        ...stores,
        ...limits,
        admission,
        secret,
        now,
      })
    : null
  const cachedReader = createCachedReader({
    cache,
    leases,
    read: reader.read,
    ttlMs,
    allowListId,
    now,
    wait: Bun.sleep,
    onStoreFault: (err) => log.error({ err }, 'storing the result failed'),
  })
  /** Deletions of other processes, each of which is read once. */
  const unappliedDeletions = new Set<string>()
  let faultOfFollowing = ''
  async function followDeletedPages() {
    for (const page of await cache.deletedPages()) unappliedDeletions.add(page)
    for (const page of unappliedDeletions) {
      // Deleted from the cache again, because a fetch may have stored a result in the meantime.
      await cachedReader.deletePage(page)
      unappliedDeletions.delete(page)
    }
    faultOfFollowing = ''
  }
  const onUnread = (err: unknown) => {
    // Not at each of the retries, which follow every second.
    if (messageOf(err) !== faultOfFollowing) log.error({ err }, 'following deletions of the cache failed; will retry')
    faultOfFollowing = messageOf(err)
  }
  const deletions = stack.use(periodicTask(() => followDeletedPages().catch(onUnread), DELETIONS_EVERY_MS))
  // The first check reads past earlier deletions.
  deletions.start()
  const statistics = createStatistics({ now })
  const alerts = stack.use(
    startUsageAlerts({
      ...stores,
      ...systemDeps,
      sender: createWebhookSender(networkOptions(config, ownPorts)),
      limiter,
      plans: config.plans,
      allow: config.allowPrivateHosts,
      onError: (err) => log.error({ err }, 'checking usage alerts failed'),
      onAttempt({ userId, month, threshold, key, attempts }, error) {
        const fields = { userId, ...(key === null ? { month, threshold } : { key: key.id }), attempts }
        if (error === null) log.info(fields, 'alert delivered')
        else log.warn({ ...fields, error }, 'alert failed')
      },
    }),
  )
  const recorder = stack.use(
    createRequestRecorder({
      log: stores.requestLog,
      random: Math.random,
      onDropped: metrics.requestLogDropped,
      onError: (err) => log.error({ err }, 'writing the request log failed'),
    }),
  )

  const owned = stack.move()
  return {
    log,
    config,
    /** The settings in effect, with secrets masked. */
    settings,
    allowListId,
    applyConfig: apply,
    secret,
    stores,
    limiter,
    cache,
    playgroundResults,
    redisStatus,
    accounts,
    /** Null when no backups are scheduled. */
    backups,
    reader,
    images,
    files,
    metrics,
    failedAuthentications,
    admission,
    publicImages,
    cachedReader,
    statistics,
    alerts,
    recorder,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
