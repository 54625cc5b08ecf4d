import { MINUTE_MS } from '../../core/duration.ts'
import type { User } from '../../core/accounts/ports.ts'
import { AppError } from '../../core/errors.ts'
import { monthOf } from '../../core/period.ts'
import { limitsOf } from '../../core/plan.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import { newToken } from '../../core/accounts/token.ts'
import { parseTargetUrl } from '../../core/net/url.ts'
import { testMessage, type WebhookSender } from '../../core/usage/alerts.ts'
import type { System } from '../../core/system.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { exclusiveTask, periodicTask, type Repeat } from '../operation/periodic-task.ts'
import { type AlertDeliveryDeps, createAlertDelivery } from './alert-delivery.ts'
import { type AlertRecorderDeps, createAlertRecorder } from './alert-recorder.ts'

/** How often usage is compared with the thresholds and due alerts are sent. */
const CHECK_EVERY_MS = MINUTE_MS

/** Webhook URLs are short; longer ones are mistakes. */
const MAX_WEBHOOK_URL_CHARACTERS = 2_048

/** Test messages, and also changes of the URL, per user and minute. */
const PER_MINUTE = 5

/** The minimum delay after an alert's last attempt when a URL is saved, so that saving cannot flood the receiver. */
const RESEND_DELAY_MS = MINUTE_MS

/** Alerts listed on the account page. */
const LATEST_ALERTS = 10

/**
 * Alerts at 80 % and 100 % of the monthly limit, a week before a key expires, and when a request is rejected because its
 * key has ended. Disposing it aborts attempts in progress; they are retried after a restart.
 */
export type UsageAlertService = ReturnType<typeof startUsageAlerts>

export interface UsageAlertDeps extends AlertRecorderDeps, AlertDeliveryDeps, System {
  /** Disposed together with the service, which aborts attempts in progress. */
  sender: WebhookSender & Disposable
  limiter: RateLimiter
  settings: CurrentSettings<'plans' | 'allow'>
  repeat?: Repeat
}

export function startUsageAlerts(deps: UsageAlertDeps) {
  const { alerts, usage, sender, limiter, settings, repeat, now, newId, randomBytes, onError } = deps
  const stop = new AbortController()
  const { recordReached, recordExpiring, recordRejected } = createAlertRecorder(deps, stop.signal)
  const { post, sendDue } = createAlertDelivery(deps, stop.signal)

  /** @throws AppError `minute_limit` */
  async function requireWithinLimit(user: User, action: string, text: string) {
    const { allowed } = await limiter.take([{ key: `${action} ${user.id}`, limit: PER_MINUTE }], now())
    if (!allowed) throw new AppError('minute_limit', `${text} at most ${PER_MINUTE} times per minute`)
  }

  async function check() {
    // Keys and retries do not depend on the usage, which may be in another database.
    for (const step of [recordReached, recordExpiring, recordRejected]) await step().catch(onError)
    // Does not wait for slow receivers.
    sending.start()
  }

  const sending = exclusiveTask(() => sendDue().catch(onError))
  const checks = periodicTask(check, CHECK_EVERY_MS, repeat)
  checks.start()

  return {
    /** The user's webhook, or null, and the latest alerts. */
    async settings(userId: string) {
      const [webhook, latest] = await Promise.all([alerts.findWebhook(userId), alerts.list(userId, LATEST_ALERTS)])
      return { webhook, alerts: latest }
    },

    /** @throws AppError `invalid_request` for a URL that cannot be requested, `minute_limit` */
    async setUrl(user: User, text: string) {
      const url = text.trim()
      if (url.length > MAX_WEBHOOK_URL_CHARACTERS) {
        throw new AppError('invalid_request', `Invalid URL: longer than ${MAX_WEBHOOK_URL_CHARACTERS} characters`)
      }
      const target = parseTargetUrl(url, settings().allow)
      if ('reason' in target) throw new AppError('invalid_request', `Invalid URL: ${target.reason}`)
      await requireWithinLimit(user, 'alert url', 'The URL can be changed')
      const secret = `whsec_${newToken(randomBytes)}`
      await alerts.setWebhook({ userId: user.id, url: target.cacheKey, secret, createdAtMs: now() })
      // The alerts that the previous URL did not accept.
      await alerts.resend(user.id, monthOf(now()), now(), RESEND_DELAY_MS)
      // Reports a threshold that is already reached now instead of at the next check.
      checks.start()
    },

    remove: (userId: string) => alerts.removeWebhook(userId),

    /** Sends a test message. @throws AppError `not_found` without a webhook, `minute_limit`; FetchError if it fails */
    async sendTest(user: User) {
      const webhook = await alerts.findWebhook(user.id)
      if (webhook === null) throw new AppError('not_found', 'No webhook is configured')
      await requireWithinLimit(user, 'alert test', 'Test messages can be sent')
      const { perMonth: limit } = limitsOf(settings(), user)
      const used = (await usage.used([user.id], monthOf(now()))).get(user.id) ?? 0
      await post(webhook, testMessage({ id: newId(), month: monthOf(now()), used, limit, createdAtMs: now() }))
    },

    async [Symbol.asyncDispose]() {
      stop.abort()
      sender[Symbol.dispose]()
      await checks[Symbol.asyncDispose]()
      await sending[Symbol.asyncDispose]()
    },
  }
}
