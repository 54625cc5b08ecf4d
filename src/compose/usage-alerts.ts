import type { Config } from '../config.ts'
import type { RateLimiter } from '../core/usage/rate-limiter.ts'
import { createWebhookSender } from '../fetch/webhooks.ts'
import type { Log } from '../log.ts'
import { repeatByTimer } from '../service/operation/sweeper.ts'
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

/** Starts the alerts at 80 % and 100 % of users' monthly limits. */
export function openUsageAlerts({ config, stores, limiter, ownPorts, log }: UsageAlertSources): UsageAlertService {
  const { alerts, usage } = stores
  return startUsageAlerts({
    alerts,
    usage,
    sender: createWebhookSender(networkOptions(config, ownPorts)),
    limiter,
    plans: config.plans,
    allow: config.allowPrivateHosts,
    repeat: repeatByTimer,
    ...systemDeps,
    onError: (err) => log.error({ err }, 'checking usage alerts failed'),
    onAttempt({ userId, month, threshold, attempts }, error) {
      const fields = { userId, month, threshold, attempts }
      if (error === null) log.info(fields, 'alert delivered')
      else log.warn({ ...fields, error }, 'alert failed')
    },
  })
}
