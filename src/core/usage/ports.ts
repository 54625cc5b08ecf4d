import type { RejectedRequests } from '../rejected-requests.ts'

/*
 * Storage interfaces for usage and quotas. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`. Users and keys
 * are identified by id only, so that usage can be stored in another database than accounts.
 */

import type { Limits } from '../plan.ts'

/** The outcome of a request for which a unit of the monthly quota was reserved. */
export type RequestOutcome = 'fetched' | 'cached' | 'failed' | 'abandoned'

/** The counts that each outcome adds to its day. An abandoned request only updates the last use of its key. */
export const COUNTED: Record<RequestOutcome, Record<'successes' | 'cacheHits' | 'failures', number>> = {
  fetched: { successes: 1, cacheHits: 0, failures: 0 },
  cached: { successes: 1, cacheHits: 1, failures: 0 },
  failed: { successes: 0, cacheHits: 0, failures: 1 },
  abandoned: { successes: 0, cacheHits: 0, failures: 0 },
}

/** Whether a request with this outcome releases its unit of the monthly quota: only successful ones count. */
export const releasesUnit = (outcome: RequestOutcome) => COUNTED[outcome].successes === 0

/** One request of a user's monthly quota, which is taken by a charge or a reservation. */
export interface QuotaUnit {
  userId: string
  /** Null for a request of the playground, which needs no key. */
  keyId: string | null
  month: string
}

/** Takes a unit if the user has taken fewer than `limit` units in its month. */
export interface QuotaRequest {
  unit: QuotaUnit
  limit: number
  /** For a cached response, the time at which it is charged. Null reserves the unit until its settlement. */
  chargedAtMs: number | null
}

/** The outcome of a reserved unit. */
export interface Settlement {
  unit: QuotaUnit
  outcome: RequestOutcome
  atMs: number
}

/** The requests of one turn of the event loop, which are metered together. */
export interface UsageBatch {
  requests: readonly QuotaRequest[]
  settlements: readonly Settlement[]
}

/** The result of a `QuotaRequest`. `used` is the number of units taken, including this one. */
export interface QuotaResult {
  taken: boolean
  used: number
}

export interface Metering {
  /**
   * Writes one batch in one transaction, or one round trip; returns one result for each of `requests`, in their order.
   *
   * Settlements are applied first: failed and abandoned requests release their units, and all but abandoned requests are
   * counted for the day of their key or of the playground. Settlements of a user who was deleted meanwhile are ignored.
   * Then `requests` get units in their order while the month has any; a request without a unit changes nothing.
   *
   * Atomic and durable: a crash of the process after the promise has resolved does not lose the batch. Rejects, without
   * applying any of the batch, when the store cannot be written. A single request or settlement cannot make the batch
   * fail. A remote store may find out later that a rejected batch was applied after all, and undoes that batch before the
   * next one or at the end.
   */
  apply(batch: UsageBatch): Promise<readonly QuotaResult[]>
}

/** The requests of one day, or of one hour in the request log. */
export interface DailyUsage {
  day: string
  /** Responses with status 200, fresh or cached. */
  successes: number
  /** The responses that came from the cache. */
  cacheHits: number
  /** Requests that ended in 5xx, or were rejected because their key no longer works. */
  failures: number
}

export interface KeyUsage {
  /** Charged responses in the requested month. */
  successes: number
  /** The latest request that was not rejected; null if all were. */
  lastUsedAtMs: number | null
}

/** The key id in the usage of the playground, which needs no key. */
export const PLAYGROUND_KEY_ID = ''

export interface UsageHistory {
  /** The units taken in the month, by user. Users without units are absent. */
  used(userIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>>
  /** The usage of every used key of these users, by key id. */
  keysOf(userIds: readonly string[], month: string): Promise<ReadonlyMap<string, KeyUsage>>
  /** Months with requests, oldest first. */
  months(userId: string): Promise<{ month: string; used: number }[]>
  /** Days with requests since `sinceDay`, oldest first, of a key or `PLAYGROUND_KEY_ID`; null sums all of the user. */
  days(userId: string, keyId: string | null, sinceDay: string): Promise<DailyUsage[]>
  /** The requests of all users on a day. */
  total(day: string): Promise<DailyUsage>
  /** Adds failures, which are not charged, to the day of each key's last rejected request. In the order of `countRejected`. */
  addFailures(rejected: readonly RejectedRequests[]): Promise<void>
  /** Deletes daily usage before `day`, but no monthly usage. Returns the number of rows. */
  sweepDays(day: string): Promise<number>
}

/** The monthly usage of deleted accounts, so that signing up again does not reset it. */
export interface DeletedAccountUsage {
  /** Stores the month's count of a user under hashes that identify the same person. Atomic. */
  keep(userId: string, hashes: readonly string[], month: string): Promise<void>
  /** Like `keep`, and deletes the user's usage. Atomic. */
  archive(userId: string, hashes: readonly string[], month: string): Promise<void>
  /** Raises the user's count of the month to the highest count stored under any of the hashes. Atomic. */
  restore(userId: string, hashes: readonly string[], month: string): Promise<void>
  /** Deletes the counts of months before `month`; returns the number of rows. */
  sweep(month: string): Promise<number>
}

export interface Usage extends Metering, UsageHistory, DeletedAccountUsage {}

/** A user's usage in the calendar month (UTC), and the user's limits. */
export interface MonthlyUsage {
  used: number
  limits: Limits
  /** `Free`, or `Free with own limits`. */
  planLabel: string
  /** First instant of the next month: `2026-12-01T00:00:00Z`. */
  resetsAt: string
}
