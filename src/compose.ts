import { accountServices, operatorEmails } from './compose/accounts.ts'
import { systemDeps } from './compose/system-deps.ts'
import { backupFiles } from './compose/data/backup.ts'
import { dashboardDeps } from './compose/dashboard.ts'
import { freeBytes, warnIfReadable } from './compose/data/data-dir.ts'
import { followDeletedPages } from './compose/deleted-pages.ts'
import { liveConfig, type LoadedConfig } from './compose/live-config.ts'
import { openRenderHistory } from './compose/render-history.ts'
import { networkOptions } from './compose/page-settings.ts'
import { retentionTasks } from './compose/retention.ts'
import { openSecret } from './compose/data/secret.ts'
import { openServerReader } from './compose/server-reader.ts'
import { openStores } from './compose/stores.ts'
import { clientLimiter, openSharedState } from './compose/shared-state.ts'
import { openSweepClock } from './compose/sweep-clock.ts'
import { openUsageAlerts } from './compose/usage-alerts.ts'
import { localOrigin } from './config.ts'
import { createFileFetcher } from './fetch/files.ts'
import { createImageFetcher } from './fetch/images.ts'
import { loggedRequestOf } from './http/api/logged-request.ts'
import { createOriginLookup } from './http/api/origin-lookup.ts'
import { createIncomingBodies } from './http/server/incoming-bodies.ts'
import { createServer } from './http/server.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createAdmission } from './service/usage/admission.ts'
import { startBackupSchedule } from './service/operation/backup-schedule.ts'
import { createFailedAuthentications } from './service/usage/failed-authentications.ts'
import { faultTolerantCache } from './service/lookup/fault-tolerant-cache.ts'
import { createCachedReader } from './service/lookup/cached-reader.ts'
import { createPublicImages } from './service/lookup/public-images.ts'
import { signInLink } from './service/accounts/sign-in-links.ts'
import { createRequestRecorder } from './service/usage/request-recorder.ts'
import { createStatistics } from './service/operation/statistics.ts'
import { startSweeper } from './service/operation/sweeper.ts'
import { createUsageMeter } from './service/usage/usage-meter.ts'
import { createUsageSettler } from './service/usage/usage-settler.ts'
import { COMMIT, VERSION } from './version.ts'

/** The server and its resources. Disposing it closes them in reverse order. */
export type App = Awaited<ReturnType<typeof composeApp>>

/**
 * @param workerEntry the URL of the entry point of workers, instead of the usual one
 * @throws AppError when the data directory or the database cannot be used, or another server uses it
 */
export async function composeApp(start: LoadedConfig, log: Log, workerEntry?: string) {
  await using stack = new AsyncDisposableStack()
  const { config, settings, allowListId, apply } = liveConfig(start)
  const stores = stack.use(await openStores(config, log))
  const { limiter, results, playgroundResults, leases, redisStatus } = stack.use(
    await openSharedState(config, stores.results, log),
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
  const { keyRing, links, audit } = accounts
  const renderHistory = stack.use(openRenderHistory(config, stores.renderedHosts, log))
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
      }),
    )
  let listeningPort: number | undefined
  /** The port once the server listens. Cached, because Bun's getter makes a system call. */
  const port = () => (listeningPort ??= http.server?.port)
  const ownPorts = () => [port()].filter((own) => own !== undefined)
  const reader = stack.use(
    await openServerReader(config, { ownPorts, history: renderHistory, log, entry: workerEntry }),
  )
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
      ...systemDeps,
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
  stack.use(
    followDeletedPages(cache, cachedReader, (err) => log.error({ err }, 'reading deleted pages failed; will retry')),
  )
  const statistics = createStatistics({ now })
  const alerts = stack.use(openUsageAlerts({ config, stores, limiter, ownPorts, log }))
  const recorder = stack.use(
    createRequestRecorder({
      log: stores.requestLog,
      random: Math.random,
      onDropped: metrics.requestLogDropped,
      onError: (err) => log.error({ err }, 'writing the request log failed'),
    }),
  )

  const baseUrl = () => config.baseUrl ?? localOrigin(port() ?? config.port)
  const incomingBodies = createIncomingBodies()
  let isStopping = false
  const http = createServer({
    admission,
    failedAuthentications,
    cachedReader,
    publicImages,
    dashboard: dashboardDeps({
      config,
      log,
      stores,
      accounts,
      cache,
      playgroundResults,
      limiter,
      images,
      files,
      secret,
      admission,
      cachedReader,
      statistics,
      alerts,
      incomingBodies,
      backups,
      status: reader.status,
      redisStatus,
      settings,
      allowListId,
      baseUrl,
    }),
    allow: config.allowPrivateHosts,
    allowListId,
    ping: stores.ping,
    isStopping: () => isStopping,
    onNotReady: (err) => log.error({ err }, 'database check failed'),
    corsOrigins: config.corsOrigins,
    isOriginAllowed: createOriginLookup({ keys, now }),
    metricsToken: config.metricsToken,
    metrics,
    newId: systemDeps.newId,
    now,
    onRequestEnd(entry, elapsedMs, owner) {
      metrics.request(entry, elapsedMs)
      log.request(entry)
      // Only requests for pages and their images have a host.
      if (entry.host !== undefined) statistics.note(entry)
      if (owner !== null) recorder.record(owner.userId, () => loggedRequestOf(entry, owner, now()))
    },
    onInternalError: (err, id) => log.error({ err, id }, 'internal error'),
    onSignInError: ({ problem, detail, cause }, id) => log.warn({ problem, detail, err: cause, id }, 'sign-in failed'),
  })
  metrics.addRoutes(http.routes.map(({ path }) => path))

  const resources = stack.move()
  return {
    http,
    /** The public origin. With port 0 it is not known before the server listens. */
    baseUrl,
    /** Pending requests, and requests whose body is still arriving; `closeAll` closes all connections. */
    requests: () => {
      const { server } = http
      const closeAll = async () => void (await server?.stop(true))
      return { pending: server?.pendingRequests ?? 0, arriving: incomingBodies.count(), closeAll }
    },
    /** Makes `/readyz` return 503. All other requests are still served. */
    announceStop: () => void (isStopping = true),
    /** Applies what can change while the server runs, from the next request on. */
    reload(next: LoadedConfig) {
      apply(next.config, next.settings)
      reader.configure()
      if ('url' in next.config.database) stores.setUrl?.(next.config.database.url)
    },
    /** Creates a one-time sign-in link for an operator; null when an identity provider is configured. */
    async firstSignInLink() {
      const [email] = operatorEmails(config)
      if (config.providers.length > 0 || email === undefined) return null
      const { token } = await links.create(email)
      // No actor, as for commands: everyone who can read the server's output has the link.
      const user = (await stores.users.findByEmail(email)) ?? { id: null, email }
      await audit.record(null, 'link_created', user, 'printed at server start')
      return signInLink(baseUrl(), token)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
