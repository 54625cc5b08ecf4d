import { type AppError, MinuteLimitError, MonthLimitError } from '../core/errors.ts'
import type { Plan } from '../core/plan.ts'
import type { RateLimitStatus } from '../core/ports.ts'

/** What is left of the quota of whoever asked. */
export interface QuotaLeft {
  plan: Plan
  minute: RateLimitStatus
  monthUsed: number
}

/*
 * Each limit is told twice: in the service's own X- headers, and as the IETF draft "RateLimit header fields for HTTP"
 * (draft-ietf-httpapi-ratelimit-headers-10) has it: q is the quota, w its window, r what remains, t the seconds until it
 * is full again. The month has no `w`, because months differ in length.
 */

/** The headers of an answer. */
export function quotaHeaders({ plan, minute, monthUsed }: QuotaLeft, nowMs: number): Record<string, string> {
  const monthRemaining = String(Math.max(0, plan.perMonth - monthUsed))
  const minuteResetsIn = secondsUntil(minute.resetsAt * 1_000, nowMs)
  return {
    'x-ratelimit-limit': String(plan.perMinute),
    'x-ratelimit-remaining': String(minute.remaining),
    'x-ratelimit-reset': String(minute.resetsAt),
    'x-monthly-limit': String(plan.perMonth),
    'x-monthly-used': String(monthUsed),
    'x-monthly-remaining': monthRemaining,
    'ratelimit-policy': `"minute";q=${plan.perMinute};w=60, "month";q=${plan.perMonth}`,
    ratelimit:
      `"minute";r=${minute.remaining};t=${minuteResetsIn}, ` +
      `"month";r=${monthRemaining};t=${secondsUntil(monthEndMs(nowMs), nowMs)}`,
  }
}

/** The headers of a refusal for a limit, with that limit alone; none for other errors. */
export function refusalHeaders(error: AppError, nowMs: number): Record<string, string> {
  if (error instanceof MinuteLimitError) {
    const { plan, retryAfterSeconds, resetsAt } = error
    return {
      'retry-after': String(retryAfterSeconds),
      'x-ratelimit-limit': String(plan.perMinute),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(resetsAt),
      'ratelimit-policy': `"minute";q=${plan.perMinute};w=60`,
      ratelimit: `"minute";r=0;t=${retryAfterSeconds}`,
    }
  }
  if (error instanceof MonthLimitError) {
    const { limit, used, resetsAt } = error
    return {
      'x-monthly-limit': String(limit),
      'x-monthly-used': String(used),
      'x-monthly-reset': resetsAt,
      'ratelimit-policy': `"month";q=${limit}`,
      ratelimit: `"month";r=0;t=${secondsUntil(Date.parse(resetsAt), nowMs)}`,
    }
  }
  return {}
}

function secondsUntil(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((thenMs - nowMs) / 1_000))
}

/** The end of the UTC month that `nowMs` is in. */
function monthEndMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
}
