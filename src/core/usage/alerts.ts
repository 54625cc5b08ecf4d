import { createHmac } from 'node:crypto'

import { isoTime } from '../iso-time.ts'
import { monthEnd } from '../period.ts'
import type { UserPlan } from '../plan.ts'

/*
 * Alerts about the monthly limit and about keys that expire or have ended, sent to a user's URL. Times are Unix ms,
 * months `2026-11`.
 */

/** Percentages of the monthly limit. Each percentage is reported once per month. */
const ALERT_THRESHOLDS = [80, 100] as const
export type AlertThreshold = (typeof ALERT_THRESHOLDS)[number]

/** The threshold of an alert about a key: before it expires, or when a request was rejected because it has ended. */
export const EXPIRING = 0
export const ENDED = 100

export interface ExpiringKey {
  id: string
  name: string
  /** When it expires; for an alert with the threshold `ENDED`, when it ended. */
  expiresAtMs: number
}

/** A key without an alert. */
export interface UnreportedKey extends ExpiringKey {
  userId: string
  rejectedRequests: number
  firstRejectedAtMs: number | null
}

/** A user has at most one webhook. */
export interface AlertWebhook {
  userId: string
  url: string
  /** The key of the signatures, which the user configures at the receiver. */
  secret: string
  createdAtMs: number
}

export interface UsageAlert {
  /** Lets the receiver recognize a repeated delivery. */
  id: string
  userId: string
  /** The month of the usage, in which the key expires, or of its first rejected request. */
  month: string
  /** `EXPIRING` or `ENDED` for an alert about a key. */
  threshold: AlertThreshold | typeof EXPIRING
  /** Requests used, and the limit, when the threshold was reached. For a key that has ended, its rejected requests. */
  used: number
  limit: number
  /** The key that the alert is about; null for an alert about usage. */
  key: ExpiringKey | null
  createdAtMs: number
}

export interface AlertDelivery {
  attempts: number
  lastAttemptAtMs: number | null
  /** Null when it was delivered or given up. */
  nextAttemptAtMs: number | null
  deliveredAtMs: number | null
  /** Why the latest attempt failed; null before the first one and after a success. */
  error: string | null
}

export type DueAlert = UsageAlert & Pick<AlertDelivery, 'attempts'> & Pick<AlertWebhook, 'url' | 'secret'>

export type AttemptOutcome = { deliveredAtMs: number } | { error: string; retryAtMs: number | null }

export interface UsageAlerts {
  findWebhook(userId: string): Promise<AlertWebhook | null>
  /** Stores the user's webhook. An existing webhook gets the new URL and keeps its secret. Atomic. */
  setWebhook(webhook: AlertWebhook): Promise<void>
  /** Deletes the user's webhook and gives up pending deliveries. False when there is none. Atomic. */
  removeWebhook(userId: string): Promise<boolean>
  /** One page of unsuspended users with a webhook, by ascending id after `afterUserId`; '' for the first page. */
  watchedUsers(afterUserId: string, limit: number): Promise<({ userId: string } & UserPlan)[]>
  /**
   * Keys of watched users that expire after `nowMs` and by `untilMs`, are not replaced and have no alert yet;
   * earliest first.
   */
  expiringKeys(nowMs: number, untilMs: number, limit: number): Promise<UnreportedKey[]>
  /** Keys of watched users with requests that were rejected since the webhook was saved, and without an alert about it. */
  rejectedKeys(limit: number): Promise<UnreportedKey[]>
  /** Stores an alert to be sent. False if its month and threshold, or its key and expiry, already have one. Atomic. */
  record(alert: UsageAlert): Promise<boolean>
  /**
   * Takes due alerts, oldest first: at most one per user, and none of suspended users. Taking an alert counts as an
   * attempt. Until `leaseUntilMs` or `settle`, no other process takes the same alerts, so that none is sent twice at
   * the same time. Atomic.
   */
  takeDue(nowMs: number, leaseUntilMs: number, limit: number): Promise<DueAlert[]>
  /**
   * Makes a user's undelivered alerts of `month` and later months due at `atMs`, but not before `delayMs` after their
   * last attempt. Includes alerts that were given up. Attempts are counted from 0 again.
   */
  resend(userId: string, month: string, atMs: number, delayMs: number): Promise<void>
  /**
   * Records the outcome of an attempt. Without `retryAtMs`, a failed delivery is given up. A failure changes nothing if the
   * alert was made due again, given up or taken again during the attempt.
   */
  settle(attempt: Pick<DueAlert, 'id' | 'attempts'>, outcome: AttemptOutcome): Promise<void>
  /** The latest alerts of a user, newest first. */
  list(userId: string, limit: number): Promise<(UsageAlert & AlertDelivery)[]>
  /** Deletes alerts created before this time; returns how many. */
  sweep(beforeMs: number): Promise<number>
}

/** Sends a POST request to a user's URL. */
export interface WebhookSender {
  /** Resolves when the receiver has responded with a 2xx status. @throws FetchError */
  send(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<void>
}

/** The JSON body of a webhook. Receivers rely on the names of its properties. */
export interface AlertMessage {
  id: string
  type: 'usage.threshold_reached' | 'usage.test' | 'key.expiring' | 'key.expired'
  /** ISO 8601. */
  created_at: string
  data:
    | { threshold_percent?: number; month: string; used: number; limit: number; resets_at: string }
    | { key_id: string; key_name: string; expires_at: string }
    | { key_id: string; key_name: string; ended_at: string; rejected_requests: number }
}

type MessageFacts = Pick<UsageAlert, 'id' | 'month' | 'used' | 'limit' | 'createdAtMs'>

/** A message about the key of the alert, or about its threshold if `key` is null. */
export function alertMessage(alert: MessageFacts & Pick<UsageAlert, 'threshold' | 'key'>): AlertMessage {
  const { id, threshold, key, createdAtMs } = alert
  const created_at = isoTime(createdAtMs)
  if (key === null) {
    const data = { threshold_percent: threshold, ...usageOf(alert) }
    return { id, type: 'usage.threshold_reached', created_at, data }
  }
  const [named, at] = [{ key_id: key.id, key_name: key.name }, isoTime(key.expiresAtMs)]
  if (threshold === EXPIRING) return { id, type: 'key.expiring', created_at, data: { ...named, expires_at: at } }
  const data = { ...named, ended_at: at, rejected_requests: alert.used }
  return { id, type: 'key.expired', created_at, data }
}

export function testMessage(facts: MessageFacts): AlertMessage {
  return { id: facts.id, type: 'usage.test', created_at: isoTime(facts.createdAtMs), data: usageOf(facts) }
}

const usageOf = ({ month, used, limit }: MessageFacts) => ({ month, used, limit, resets_at: monthEnd(month) })

/** None for a limit of 0, which allows no requests. */
export function reachedThresholds(used: number, limit: number): AlertThreshold[] {
  return limit === 0 ? [] : ALERT_THRESHOLDS.filter((threshold) => used * 100 >= limit * threshold)
}

/**
 * The `Urlmeta-Signature` header in the format of Stripe's webhooks: `t=<Unix seconds>,v1=<hex>`, an HMAC-SHA256 of
 * `<t>.<body>`. The time lets receivers reject old copies.
 */
export function webhookSignature(secret: string, nowMs: number, body: string): string {
  const seconds = Math.floor(nowMs / 1_000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
