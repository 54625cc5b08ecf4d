import type { Config } from '../config.ts'
import type { FileFetcher, ImageFetcher } from '../core/fetch/ports.ts'
import { siteOf } from '../core/sites/sites.ts'
import type { ResultCache } from '../core/fetch/result-cache.ts'
import { formatToken, TOKEN_BYTES } from '../core/accounts/token.ts'
import type { DashboardDeps } from '../http/dashboard.ts'
import { openapiDocument } from '../http/api/openapi.ts'
import type { Log } from '../log.ts'
import type { BackupSchedule } from '../service/operation/backup-schedule.ts'
import { createProvider } from '../identity/providers.ts'
import { createOperators } from '../service/accounts/operators.ts'
import { createPageFiles } from '../service/playground/page-files.ts'
import { createImageProxy } from '../service/playground/image-proxy.ts'
import { createPlaygroundHistory } from '../service/playground/playground-history.ts'
import { createPlayground, type PlaygroundDeps } from '../service/playground/playground.ts'
import { createPreviewRequests } from '../service/playground/preview-requests.ts'
import { createProfiles } from '../service/accounts/profiles.ts'
import { createSharing } from '../service/playground/shared-results.ts'
import { createRequestLogs } from '../service/usage/request-logs.ts'
import { createSessions } from '../service/accounts/sessions.ts'
import { createSignIn } from '../service/accounts/sign-in.ts'
import type { Statistics } from '../service/operation/statistics.ts'
import { createServerUsage } from '../service/usage/server-usage.ts'
import { createUsageReports } from '../service/usage/usage-reports.ts'
import { memoryRobotsCache } from '../store/memory/robots-cache.ts'
import { VERSION } from '../version.ts'
import { type AccountServices, operatorEmails } from './accounts.ts'
import { systemDeps } from './system-deps.ts'
import type { ServerReader } from './server-reader.ts'
import type { OpenStores } from './stores.ts'
import { clientLimiter, type SharedState } from './shared-state.ts'

export interface DashboardSources
  extends
    Pick<DashboardDeps, 'alerts' | 'baseUrl' | 'incomingBodies' | 'secret' | 'settings'>,
    Pick<PlaygroundDeps, 'admission' | 'cachedReader'>,
    Pick<SharedState, 'limiter' | 'playgroundResults' | 'redisStatus'> {
  config: Config
  log: Log
  stores: OpenStores
  accounts: AccountServices
  cache: ResultCache
  images: ImageFetcher
  files: FileFetcher
  statistics: Statistics
  /** Null when no backups are scheduled. */
  backups: BackupSchedule | null
  allowListId: () => string
  /** The current load of fetches and Chromium. */
  status: ServerReader['status']
}

export function dashboardDeps(sources: DashboardSources): DashboardDeps {
  const { config, stores, secret, allowListId, baseUrl } = sources
  const { plans } = config
  const { users, identities, sessions, tickets, usage, requestLog } = stores
  const { audit, keyRing, links, deletedAccounts } = sources.accounts
  const operators = operatorEmails(config)
  const startedAtMs = systemDeps.now()
  const imageProxy = createImageProxy({ ...sources, ...systemDeps })

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
    alerts: sources.alerts,
    profiles: createProfiles({ ...stores, deletedAccounts, ...systemDeps }),
    operators: createOperators({ ...stores, log: stores.audit, audit, links, plans, ...systemDeps }),
    playground: createPlayground({ ...sources, plans, visitorLimiter: clientLimiter(), ...systemDeps }),
    history: createPlaygroundHistory({ results: sources.playgroundResults, allowListId, ...systemDeps }),
    imageProxy,
    previewRequests: createPreviewRequests({
      imageProxy,
      allowsOembed: ({ hostname }) => config.oembed && siteOf(hostname, config.sites).oembed !== 'off',
      pageFiles: createPageFiles({ ...sources, cache: memoryRobotsCache(allowListId), ...systemDeps }),
    }),
    isPlaygroundPublic: config.publicPlayground,
    sharing: config.sharing ? createSharing({ ...stores, allowListId, ...systemDeps }) : null,
    runtimeStatus: async () => ({
      startedAtMs,
      ...sources.status(),
      cache: { entries: await sources.cache.count(), maxEntries: config.cache.maxEntries },
      backup: sources.backups?.status() ?? null,
      database: stores.database,
      redis: sources.redisStatus?.() ?? null,
    }),
    dayReport: sources.statistics.report,
    serverUsage: createServerUsage({ usage, ...systemDeps }),
    settings: sources.settings,
    signInLimiter: clientLimiter(),
    incomingBodies: sources.incomingBodies,
    secret,
    newToken: () => formatToken(systemDeps.randomBytes(TOKEN_BYTES)),
    plans,
    upgradeUrl: config.upgradeUrl,
    operatorEmails: operators,
    trustedProxies: config.trustedProxies,
    onForwardedByUntrusted: () =>
      sources.log.warn(
        {},
        'X-Forwarded-For ignored: the peer is not in URLMETA_TRUSTED_PROXIES. If it is a reverse proxy, all clients ' +
          'behind it share one rate limit for sign-in',
      ),
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
