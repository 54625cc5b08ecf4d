import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { FetchError } from '../../core/errors.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import {
  type AlertMessage,
  alertMessage,
  type AlertWebhook,
  type DueAlert,
  webhookSignature,
  type WebhookSender,
} from '../../core/usage/alerts.ts'

/** The delays after failed attempts: for a restart, an outage, a night. After the last one, the alert is given up. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS]

/** Longer than the deadline of an attempt. After it, another process may send an alert whose sender has crashed. */
const LEASE_MS = 2 * MINUTE_MS

/** The number of alerts that are sent concurrently. */
const ALERTS_PER_STEP = 10

export interface AlertDeliveryDeps extends Pick<AccountStores, 'alerts'>, Pick<System, 'now'> {
  sender: WebhookSender
  /** Called when alerts or usage could not be read or written, and when sending fails for a reason of this service. */
  onError: (error: unknown) => void
  /** Called after each attempt; `error` is null if the alert was delivered. */
  onAttempt: (alert: DueAlert, error: string | null) => void
}

/** Sends alerts to webhooks until they are accepted or given up. Starts no more attempts once `stop` has aborted. */
export function createAlertDelivery({ alerts, sender, now, onError, onAttempt }: AlertDeliveryDeps, stop: AbortSignal) {
  async function sendDue() {
    while (!stop.aborted) {
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
      if (!(error instanceof FetchError) && !stop.aborted) onError(error)
      // The receiver did not fail if the server is stopping.
      const delayMs = RETRY_DELAYS_MS[stop.aborted ? 0 : alert.attempts - 1]
      return { error: reason, retryAtMs: delayMs === undefined ? null : now() + delayMs }
    }
  }

  /** Sends a message once. @throws FetchError */
  async function post({ url, secret }: Pick<AlertWebhook, 'url' | 'secret'>, message: AlertMessage) {
    const body = JSON.stringify(message)
    const headers = { 'Content-Type': 'application/json', 'Urlmeta-Signature': webhookSignature(secret, now(), body) }
    await sender.send(new URL(url), headers, body)
  }

  return { sendDue, post }
}
