import { operatorEmails } from './compose/accounts.ts'
import { mergeDisjoint } from './compose/merge-disjoint.ts'
import { dashboardServices } from './compose/dashboard.ts'
import { collectWhenIdle } from './compose/idle-memory.ts'
import { openServices, type ServiceOverrides } from './compose/services.ts'
import { systemDeps } from './compose/system-deps.ts'
import { type LoadedConfig, publicOrigin } from './config.ts'
import { MINUTE_MS } from './core/duration.ts'
import { StoreError, type StoreFault } from './core/store-fault.ts'
import { loggedRequestOf } from './http/api/logged-request.ts'
import { createOriginLookup } from './http/api/cors.ts'
import { createIncomingBodies } from './http/server/incoming-bodies.ts'
import { createServer } from './http/server.ts'
import type { Log } from './log.ts'
import { signInLink } from './service/accounts/sign-in-links.ts'
import { recordOrigin } from './store/files/directory-lock.ts'
import { owning } from './compose/owning.ts'

/**
 * A database fault affects every request, so its stack is logged once in this time. The log line of each request has
 * only the message.
 */
const FAULT_LOG_MS = MINUTE_MS

/** Disposing closes the resources in reverse order. */
export type App = Awaited<ReturnType<typeof composeApp>>

/**
 * @param overrides values that tests use instead of the defaults
 * @throws AppError if the data directory or the database cannot be used, or if another server uses it
 */
export async function composeApp(start: LoadedConfig, log: Log, overrides: ServiceOverrides = {}) {
  await using stack = new AsyncDisposableStack()
  let listeningPort: number | undefined
  /** Undefined until the server listens. Cached, because Bun's getter makes a system call. */
  const port = () => (listeningPort ??= http.server?.port)
  const ownPorts = () => [port()].filter((own) => own !== undefined)
  const services = stack.use(await openServices({ ...overrides, start, log, ownPorts }))
  const { config, stores, accounts, metrics, statistics, recorder, rejectedRequests } = services
  const { trustedProxies, corsOrigins, metricsToken } = config
  const { now } = systemDeps

  const baseUrl = () => publicOrigin(config, port())
  const incomingBodies = createIncomingBodies()
  let isStopping = false
  const loggedAtMs = new Map<StoreFault, number>()
  const idleMemory = stack.use(collectWhenIdle({ isIdle: () => (http.server?.pendingRequests ?? 0) === 0 }))
  const http = createServer({
    ...mergeDisjoint(mergeDisjoint(stores, services), systemDeps),
    trustedProxies,
    corsOrigins,
    metricsToken,
    dashboard: dashboardServices(services, { baseUrl, incomingBodies }),
    isStopping: () => isStopping,
    onNotReady: (err) => log.error({ err }, 'database check failed'),
    onForwardedByUntrusted: (header) =>
      log.warn({}, `${header} ignored: the peer is not in URLMETA_TRUSTED_PROXIES; its clients count as one`),
    isOriginAllowed: createOriginLookup({ keys: stores.keys, now }),
    onRequestEnd(entry, elapsedMs, owner) {
      metrics.request(entry, elapsedMs)
      log.request(entry)
      // Only requests for pages and their images have a host.
      if (entry.host !== undefined) {
        statistics.note(entry)
        idleMemory.noteEnd()
      }
      if (owner === null || (owner.rejection !== undefined && !rejectedRequests.count(owner, now()))) return
      recorder.record(owner.userId, () => loggedRequestOf(entry, owner, now()))
    },
    onInternalError(err, id) {
      const fault = err instanceof StoreError ? err.fault : null
      if (fault !== null && performance.now() - (loggedAtMs.get(fault) ?? -Infinity) < FAULT_LOG_MS) return
      if (fault !== null) loggedAtMs.set(fault, performance.now())
      log.error({ err, id }, 'internal error')
    },
    onSignInError: ({ problem, detail, cause }, id) => log.warn({ problem, detail, err: cause, id }, 'sign-in failed'),
  })
  metrics.addRoutes(http.routes.map(({ path }) => path))

  return owning(stack, {
    http,
    /** The public origin. With port 0, the origin is not known before the server listens. */
    baseUrl,
    /** Counts pending requests, including requests whose body is still arriving. `closeAll` closes all connections. */
    requests: () => {
      const { server } = http
      const closeAll = async () => void (await server?.stop(true))
      return { pending: server?.pendingRequests ?? 0, arriving: incomingBodies.count(), closeAll }
    },
    /** For commands: writes the public origin of the server, which listens, to its data directory. */
    announceStart: () => void (config.database.kind === 'SQLite' && recordOrigin(config.dataDir, baseUrl())),
    /** Makes `/readyz` return 503. All other requests are still served. */
    announceStop: () => void (isStopping = true),
    /** Applies the settings that can change while the server runs, from the next request on. */
    reload(next: LoadedConfig) {
      // First, because this can fail.
      if ('url' in next.config.database) stores.setUrl?.(next.config.database.url)
      services.replaceSettings(next)
      services.reader.configure()
    },
    /** Creates a one-time sign-in link for an operator; null when an identity provider is configured. */
    async firstSignInLink() {
      const [email] = operatorEmails(config)
      if (config.providers.length > 0 || email === undefined) return null
      const user = (await stores.users.findByEmail(email)) ?? { id: null, email }
      // No actor, as for commands, because everyone who can read the server's output has the link.
      const audited = accounts.auditEntry(null, 'link_created', user, 'printed at server start')
      const { token } = await accounts.links.create(email, audited)
      return signInLink(baseUrl(), token)
    },
  })
}
