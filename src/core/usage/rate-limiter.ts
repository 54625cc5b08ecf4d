import { type ClientLimit, ClientLimitError } from '../errors.ts'
import { retryAfterSeconds } from '../period.ts'

/** A counter of requests per clock minute, such as the requests with one key, and its limit. */
export interface MinuteCount {
  key: string
  limit: number
}

/** The state of the current clock minute, after a request was counted or refused. */
export interface RateLimitStatus {
  allowed: boolean
  /** The key of the first counter that has reached its limit; absent if the request is allowed. */
  refusedBy?: string | undefined
  /** Requests left in the minute, by the strictest of the counters. */
  remaining: number
  /** When the next minute starts, in Unix seconds by the clock of the caller; rounded up if the clock of Redis differs. */
  resetsAt: number
}

export interface RateLimiter {
  /** Counts a request in every counter, or in none if one is at its limit in the adapter's current minute. Atomic. */
  take(counts: readonly MinuteCount[], nowMs: number): RateLimitStatus | Promise<RateLimitStatus>
  /** Raises each count of `to` to the highest count of `from` in this clock minute. */
  raise(from: readonly string[], to: readonly string[], nowMs: number): Promise<void>
}

/** Counts a request. @throws ClientLimitError with `kind` if the limit of the minute has been reached */
export async function requireWithinLimit(limiter: RateLimiter, kind: ClientLimit, count: MinuteCount, nowMs: number) {
  const { allowed, resetsAt } = await limiter.take([count], nowMs)
  if (!allowed) throw new ClientLimitError(kind, count.limit, retryAfterSeconds(resetsAt, nowMs))
}

/* Keys of counters. The owner is a user id, or a hash that identifies a person who deleted an account. */

/** Requests by all keys of an owner together. */
export const allKeysRateLimitKey = (owner: string) => `user ${owner}`

export const playgroundRateLimitKey = (owner: string) => `playground ${owner}`
