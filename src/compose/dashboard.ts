import type { Config } from '../config.ts'
import { siteOf } from '../core/sites/sites.ts'
import { newToken } from '../core/accounts/token.ts'
import type { DashboardDeps } from '../http/dashboard.ts'
import { openapiDocument } from '../http/api/openapi.ts'
import { createProvider } from '../identity/providers.ts'
import { createOperators } from '../service/accounts/operators.ts'
import { createPageFiles } from '../service/playground/page-files.ts'
import { createImageProxy } from '../service/playground/image-proxy.ts'
import { createPlaygroundHistory } from '../service/playground/playground-history.ts'
import { createPlayground } from '../service/playground/playground.ts'
import { createPreviewRequests } from '../service/playground/preview-requests.ts'
import { createProfiles } from '../service/accounts/profiles.ts'
import { createSharing } from '../service/playground/shared-results.ts'
import { createRequestLogs } from '../service/usage/request-logs.ts'
import { createSessions } from '../service/accounts/sessions.ts'
import { createSignIn } from '../service/accounts/sign-in.ts'
import { createServerUsage } from '../service/usage/server-usage.ts'
import { createUsageReports } from '../service/usage/usage-reports.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { memoryRobotsCache } from '../store/memory/robots-cache.ts'
import { VERSION } from '../version.ts'
import { operatorEmails } from './accounts.ts'
import { systemDeps } from './system-deps.ts'
import type { Services } from './services.ts'
import { clientLimiter } from './shared-state.ts'

type OfServer = Pick<DashboardDeps, 'baseUrl' | 'incomingBodies'>

/** What the dashboard needs, from the services and from the server itself. */
export function dashboardDeps(services: Services, { baseUrl, incomingBodies }: OfServer): DashboardDeps {
  const { log, config, stores, secret, allowListId } = services
  const { plans } = config
  const { users, identities, sessions, tickets, usage, requestLog } = stores
  const { audit, keyRing, links, deletedAccounts } = services.accounts
  const operators = operatorEmails(config)
  const startedAtMs = systemDeps.now()
  const imageProxy = createImageProxy({ ...services, ...systemDeps })

  return {
    sessions: createSessions({ sessions, operators, ...systemDeps }),
    signIn: createSignIn({
      providers: config.providers.map((settings) => createProvider(settings, systemDeps.now)),
      identities,
      tickets,
      deletedAccounts,
      callbackUrl: (provider) => `${baseUrl()}/sign-in/${provider}/callback`,
      ...systemDeps,
    }),
    links,
    keyRing,
    reports: createUsageReports({ usage, plans, ...systemDeps }),
    requestLogs: createRequestLogs({ log: requestLog, users, ...systemDeps }),
    alerts: services.alerts,
    profiles: createProfiles({ ...stores, deletedAccounts, ...systemDeps }),
    operators: createOperators({ ...stores, log: stores.audit, audit, links, plans, ...systemDeps }),
    playground: createPlayground({ ...services, plans, visitorLimiter: clientLimiter(), ...systemDeps }),
    history: createPlaygroundHistory({ results: services.playgroundResults, allowListId, ...systemDeps }),
    imageProxy,
    previewRequests: createPreviewRequests({
      imageProxy,
      allowsOembed: ({ hostname }) => config.oembed && siteOf(hostname, config.sites).oembed !== 'off',
      pageFiles: createPageFiles({ ...services, cache: memoryRobotsCache(allowListId), ...systemDeps }),
    }),
    isPlaygroundPublic: config.publicPlayground,
    sharing: config.sharing ? createSharing({ ...stores, allowListId, ...systemDeps }) : null,
    runtimeStatus: async () => ({
      startedAtMs,
      ...services.reader.status(),
      cache: { entries: await services.cache.count().catch(() => null), maxEntries: config.cache.maxEntries },
      backup: services.backups?.status() ?? null,
      database: stores.database,
      redis: services.redisStatus?.() ?? null,
    }),
    dayReport: services.statistics.report,
    serverUsage: createServerUsage({ usage, ...systemDeps }),
    settings: services.settings,
    signInLimiter: clientLimiter(),
    pageLimiter: memoryRateLimiter(),
    incomingBodies,
    secret,
    newToken: () => newToken(systemDeps.randomBytes),
    plans,
    upgradeUrl: config.upgradeUrl,
    operatorEmails: operators,
    trustedProxies: config.trustedProxies,
    onForwardedByUntrusted: () =>
      log.warn({}, 'X-Forwarded-For ignored: the peer is not in URLMETA_TRUSTED_PROXIES; its clients count as one'),
    allow: config.allowPrivateHosts,
    openapi: () => openapiOf(config, baseUrl()),
    baseUrl,
    version: VERSION,
    now: systemDeps.now,
  }
}

/** The OpenAPI document of a server with this configuration at `baseUrl`, for `/openapi.json` and `urlmeta openapi`. */
export function openapiOf({ plans, cache }: Config, baseUrl: string): object {
  return openapiDocument({ baseUrl, plans, cacheTtlMs: cache.ttlMs })
}
