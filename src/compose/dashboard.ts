import { type FixedConfig, thisMachine } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import type { LiveSettings } from '../core/settings/live-settings.ts'
import { newToken } from '../core/accounts/token.ts'
import type { PreviewServices } from '../http/routes/playground/playground-context.ts'
import type { DashboardServices } from '../http/routes/route-context.ts'
import { openapiDocument } from '../http/api/openapi.ts'
import { createProvider } from '../identity/providers.ts'
import { createOperators } from '../service/accounts/operators.ts'
import { createPlaygroundHistory } from '../previews/service/playground-history.ts'
import { createPlayground } from '../service/lookup/playground.ts'
import { createProfiles } from '../service/accounts/profiles.ts'
import { createSharing } from '../previews/service/shared-results.ts'
import { createRequestLogs } from '../service/usage/request-logs.ts'
import { createSessions } from '../service/accounts/sessions.ts'
import { createSignIn } from '../service/accounts/sign-in.ts'
import { createServerUsage } from '../service/usage/server-usage.ts'
import { createUsageReports } from '../service/usage/usage-reports.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { failed } from '../service/operation/doctor.ts'
import { spaceFinding } from '../service/operation/doctor/data.ts'
import { VERSION } from '../version.ts'
import { mergeDisjoint } from './merge-disjoint.ts'
import { freeBytes } from './data/data-dir.ts'
import { createPreviews } from './previews.ts'
import { systemDeps } from './system-deps.ts'
import type { Services } from './services.ts'
import { clientLimiter } from './shared-state.ts'

/** Collects the values that the dashboard needs, from the services and from the server itself. */
export function dashboardServices(
  services: Services,
  { baseUrl, incomingBodies }: Pick<DashboardServices, 'baseUrl' | 'incomingBodies'>,
): DashboardServices & PreviewServices {
  const { config, stores, settings } = services
  const deps = mergeDisjoint(mergeDisjoint(services, stores), mergeDisjoint(services.accounts, systemDeps))
  const { operators } = deps
  const opensByLink = (email: string) => config.providers.length === 0 && !operators.includes(email)
  const serverUsage = createServerUsage(deps)

  return {
    ...deps,
    sessions: createSessions(deps),
    signIn: createSignIn({
      ...deps,
      providers: config.providers.map((provider) => createProvider(provider, systemDeps.now)),
      callbackUrl: (provider) => `${baseUrl()}/sign-in/${provider}/callback`,
    }),
    reports: createUsageReports(deps),
    requestLogs: createRequestLogs(deps),
    profiles: createProfiles(deps),
    operators: createOperators({ ...deps, opensByLink }),
    playground: createPlayground({ ...deps, visitorLimiter: clientLimiter() }),
    history: createPlaygroundHistory({ ...deps, results: services.playgroundResults }),
    ...createPreviews(config, settings, deps),
    isPlaygroundPublic: config.publicPlayground,
    sharing: config.sharing ? createSharing({ ...deps, viewLimiter: clientLimiter() }) : null,
    health: async (days) => ({
      days: await serverUsage.days(days),
      ...services.statistics.report(),
      ...services.reader.status(),
      cache: { entries: await services.cache.count().catch(() => null), maxEntries: config.cache.maxEntries },
      backup: services.backups?.status() ?? null,
      database: { ...stores.database, bytes: await stores.databaseBytes().catch(() => null) },
      disk: await freeBytes(config.dataDir).then(spaceFinding, (error) => failed(messageOf(error), '')),
      memory: { bytes: process.memoryUsage.rss(), totalBytes: thisMachine().memoryBytes },
      redis: services.redisStatus?.() ?? null,
    }),
    signInLimiter: clientLimiter(),
    pageLimiter: memoryRateLimiter(),
    incomingBodies,
    newToken: () => newToken(systemDeps.randomBytes),
    upgradeUrl: config.upgradeUrl,
    operatorEmails: operators,
    openapi: () => openapiOf(config, settings(), baseUrl()),
    baseUrl,
    version: VERSION,
  }
}

/**
 * The OpenAPI document for `/openapi.json` and `urlmeta openapi`, for a server with this configuration at `baseUrl`.
 */
export function openapiOf({ cache }: FixedConfig, { plans }: Pick<LiveSettings, 'plans'>, baseUrl: string): object {
  return openapiDocument({ baseUrl, plans, cacheTtlMs: cache.ttlMs })
}
