import type { Config } from '../config.ts'
import type { RateLimiter } from '../core/usage/rate-limiter.ts'
import { createWebhookSender } from '../fetch/webhooks.ts'
import type { Log } from '../log.ts'
import { startUsageAlerts, type UsageAlertService } from '../service/usage/usage-alerts.ts'
import type { Stores } from '../core/stores/stores.ts'
import { networkOptions } from './page-settings.ts'
import { systemDeps } from './system-deps.ts'

export interface UsageAlertSources {
  config: Config
  stores: Stores
  limiter: RateLimiter
  ownPorts: () => readonly number[]
  log: Log
}

/** Starts the alerts about users' monthly limits and expiring keys. */
export function openUsageAlerts({ config, stores, limiter, ownPorts, log }: UsageAlertSources): UsageAlertService {
  const { alerts, usage } = stores
  return startUsageAlerts({
    alerts,
    usage,
    sender: createWebhookSender(networkOptions(config, ownPorts)),
    limiter,
    plans: config.plans,
    allow: config.allowPrivateHosts,
    ...systemDeps,
    onError: (err) => log.error({ err }, 'checking usage alerts failed'),
    onAttempt({ userId, month, threshold, key, attempts }, error) {
      const fields = { userId, ...(key === null ? { month, threshold } : { key: key.id }), attempts }
      if (error === null) log.info(fields, 'alert delivered')
      else log.warn({ ...fields, error }, 'alert failed')
    },
  })
}
