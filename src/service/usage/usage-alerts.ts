import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { EXPIRES_SOON_MS } from '../../core/accounts/key-expiry.ts'
import type { User } from '../../core/accounts/ports.ts'
import type { AllowRule } from '../../core/net/egress.ts'
import { AppError, FetchError } from '../../core/errors.ts'
import { monthOf } from '../../core/period.ts'
import type { Plans } from '../../core/plan.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import { newToken } from '../../core/accounts/token.ts'
import { parseTargetUrl } from '../../core/net/url.ts'
import {
  type AlertMessage,
  alertMessage,
  type AlertWebhook,
  type DueAlert,
  reachedThresholds,
  testMessage,
  webhookSignature,
  type WebhookSender,
} from '../../core/usage/alerts.ts'
import type { Stores } from '../../core/stores/stores.ts'
import type { System } from '../../core/system.ts'
import { exclusiveTask, periodicTask, type Repeat } from '../operation/periodic-task.ts'

/** How often usage is compared with the thresholds and due alerts are sent. */
const CHECK_EVERY_MS = MINUTE_MS

/** The delays after failed attempts: for a restart, an outage, a night. After the last one, the alert is given up. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS]

/** Longer than the deadline of an attempt. After it, another process may send an alert whose sender has crashed. */
const LEASE_MS = 2 * MINUTE_MS

/** The users and keys of one step, which delays requests: recording an alert takes about a millisecond. */
const USERS_PER_STEP = 20
const KEYS_PER_STEP = 20
/** The number of alerts that are sent concurrently. */
const ALERTS_PER_STEP = 10

/** Webhook URLs are short; longer ones are mistakes. */
const MAX_WEBHOOK_URL_CHARACTERS = 2_048

/** Test messages, and also changes of the URL, per user and minute. */
const PER_MINUTE = 5

/** The minimum delay after an alert's last attempt when a URL is saved, so that saving cannot flood the receiver. */
const RESEND_DELAY_MS = MINUTE_MS

/** Alerts listed on the account page. */
const LATEST_ALERTS = 10

/**
 * Alerts at 80 % and 100 % of the monthly limit, and a week before a key expires. Disposing it aborts attempts in
 * progress; they are retried after a restart.
 */
export type UsageAlertService = ReturnType<typeof startUsageAlerts>

export interface UsageAlertDeps extends Pick<Stores, 'alerts' | 'usage'>, System {
  /** Disposed together with the service, which aborts attempts in progress. */
  sender: WebhookSender & Disposable
  limiter: RateLimiter
  plans: Plans
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  repeat?: Repeat
  /** Called when usage or alerts could not be read or written. */
  onError: (error: unknown) => void
  /** Called after each attempt; `error` is null if the alert was delivered. */
  onAttempt: (alert: DueAlert, error: string | null) => void
}

export function startUsageAlerts(deps: UsageAlertDeps) {
  const { alerts, usage, sender, limiter, plans, allow, repeat, now, newId, randomBytes, onError, onAttempt } = deps
  const stop = new AbortController()

  /** Alerts of `checkedMonth` that are known to be stored, so that they are not written again at each check. */
  const recorded = new Set<string>()
  /** The month of the last complete check. At the start, it is the previous month for an hour after its end. */
  let checkedMonth = monthOf(now() - HOUR_MS)

  async function recordReached() {
    const month = monthOf(now())
    if (month !== checkedMonth) {
      // A threshold may have been reached between that check and the end of its month.
      await recordReachedIn(checkedMonth)
      recorded.clear()
    }
    await recordReachedIn(month)
    checkedMonth = month
  }

  /** Records the alerts of all users whose usage of the month has reached a threshold. */
  async function recordReachedIn(month: string) {
    for (let after = ''; !stop.signal.aborted;) {
      const users = await alerts.watchedUsers(after, USERS_PER_STEP)
      const userIds = users.map(({ userId }) => userId)
      const used = await usage.used(userIds, month)
      for (const { userId, plan } of users) {
        const { perMonth: limit } = plans[plan]
        const userUsed = used.get(userId) ?? 0
        for (const threshold of reachedThresholds(userUsed, limit)) {
          const name = `${userId} ${threshold}`
          if (recorded.has(name)) continue
          const usageOfUser = { threshold, used: userUsed, limit }
          await alerts.record({ id: newId(), userId, month, ...usageOfUser, key: null, createdAtMs: now() })
          recorded.add(name)
        }
      }
      if (users.length < USERS_PER_STEP) return
      after = users.at(-1)!.userId
      // Yields to requests.
      await Bun.sleep(0)
    }
  }

  async function recordExpiring() {
    while (!stop.signal.aborted) {
      const keys = await alerts.expiringKeys(now(), now() + EXPIRES_SOON_MS, KEYS_PER_STEP)
      for (const { userId, ...key } of keys) {
        const month = monthOf(key.expiresAtMs)
        const usageOfNone = { threshold: 0, used: 0, limit: 0 } as const
        await alerts.record({ id: newId(), userId, month, ...usageOfNone, key, createdAtMs: now() })
      }
      if (keys.length < KEYS_PER_STEP) return
      await Bun.sleep(0)
    }
  }

  async function sendDue() {
    while (!stop.signal.aborted) {
      const due = await alerts.takeDue(now(), now() + LEASE_MS, ALERTS_PER_STEP)
      if (due.length === 0) return
      await Promise.all(due.map(attempt))
    }
  }

  async function attempt(alert: DueAlert) {
    const outcome = await deliver(alert)
    const record = () => alerts.settle(alert, outcome)
    // Once more after a failure: an alert that is not recorded as delivered is sent again when its lease has expired.
    await record().catch(record).catch(onError)
    onAttempt(alert, 'error' in outcome ? outcome.error : null)
  }

  async function deliver(alert: DueAlert) {
    try {
      await post(alert, alertMessage(alert))
      return { deliveredAtMs: now() }
    } catch (error) {
      // Other errors are not shown to the user.
      const reason = error instanceof FetchError ? error.reason : 'internal error'
      if (!(error instanceof FetchError) && !stop.signal.aborted) onError(error)
      // The receiver did not fail if the server is stopping.
      const delayMs = RETRY_DELAYS_MS[stop.signal.aborted ? 0 : alert.attempts - 1]
      return { error: reason, retryAtMs: delayMs === undefined ? null : now() + delayMs }
    }
  }

  /** @throws AppError `minute_limit` */
  async function requireWithinLimit(user: User, action: string, text: string) {
    const { allowed } = await limiter.take([{ key: `${action} ${user.id}`, limit: PER_MINUTE }], now())
    if (!allowed) throw new AppError('minute_limit', `${text} at most ${PER_MINUTE} times per minute`)
  }

  async function post({ url, secret }: Pick<AlertWebhook, 'url' | 'secret'>, message: AlertMessage) {
    const body = JSON.stringify(message)
    const headers = { 'Content-Type': 'application/json', 'Urlmeta-Signature': webhookSignature(secret, now(), body) }
    await sender.send(new URL(url), headers, body)
  }

  async function check() {
    // Keys and retries do not depend on the usage, which may be in another database.
    for (const step of [recordReached, recordExpiring]) await step().catch(onError)
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
      const target = parseTargetUrl(url, allow)
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
      const { perMonth: limit } = plans[user.plan]
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
