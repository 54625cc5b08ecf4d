import { type AppError, ClientLimitError, MinuteLimitError, MonthLimitError } from '../../core/errors.ts'
import { keepingLast, memoized } from '../../core/memoized.ts'
import { monthEndMs, secondsLeft } from '../../core/period.ts'
import type { Limits } from '../../core/plan.ts'
import type { WithinQuota } from '../../service/usage/admission.ts'
import { API_HEADERS } from '../server/json.ts'

/*
 * Each limit is sent twice: in the service's own X- headers, and in the header fields of the IETF draft "RateLimit header
 * fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10). There, `q` is the quota, `w` its window in seconds, `r` the
 * remaining requests and `t` the seconds until the quota resets. The month has no `w`, because months differ in length.
 */

/**
 * A successful response with its headers; `X-Cache` is `HIT`. Headers that all responses with the same limits share within
 * a minute are copied together, because setting each of them takes longer.
 */
export function successResponse(
  body: string | Uint8Array<ArrayBuffer>,
  limits: Limits,
  { minute, month, monthUsed }: Omit<WithinQuota<unknown>, 'result'>,
  nowMs: number,
): Response {
  const { remaining, resetsAt } = minute
  const response = new Response(body, sharedInit(limits)(resetsAt))
  const { headers } = response
  const minuteRemaining = String(remaining)
  const monthRemaining = String(Math.max(0, limits.perMonth - monthUsed))
  headers.set('x-ratelimit-remaining', minuteRemaining)
  headers.set('x-monthly-used', String(monthUsed))
  headers.set('x-monthly-remaining', monthRemaining)
  headers.set(
    'ratelimit',
    `"minute";r=${minuteRemaining};t=${secondsLeft(resetsAt, nowMs)}, ` +
      `"month";r=${monthRemaining};t=${secondsUntil(monthEndMs(month), nowMs)}`,
  )
  return response
}

/** The Unix second at which the next minute begins. Rounded, because the clock of Redis may differ. */
const minuteReset = (resetsAt: number) => String(Math.round(resetsAt / 60) * 60)

const sharedInit = memoized(({ perMinute, perMonth }: Limits) =>
  keepingLast((resetsAt: number) => ({
    headers: new Headers({
      ...API_HEADERS,
      'x-cache': 'HIT',
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-reset': minuteReset(resetsAt),
      'x-monthly-limit': String(perMonth),
      'ratelimit-policy': `"minute";q=${perMinute};w=60, "month";q=${perMonth}`,
    }),
  })),
)

/** The headers of a 429 response, which describe only the limit that was reached; empty for other errors. */
export function refusalHeaders(error: AppError, nowMs: number): Record<string, string> {
  if (error instanceof MinuteLimitError) {
    const { limits, retryAfterSeconds, resetsAt } = error
    return {
      'retry-after': String(retryAfterSeconds),
      'x-ratelimit-limit': String(limits.perMinute),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': minuteReset(resetsAt),
      'ratelimit-policy': `"minute";q=${limits.perMinute};w=60`,
      ratelimit: `"minute";r=0;t=${retryAfterSeconds}`,
    }
  }
  // No RateLimit fields, because they describe the quota of a key.
  if (error instanceof ClientLimitError) return { 'retry-after': String(error.retryAfterSeconds) }
  if (error instanceof MonthLimitError) {
    const { limits, used, resetsAt } = error
    return {
      'x-monthly-limit': String(limits.perMonth),
      'x-monthly-used': String(used),
      'x-monthly-reset': resetsAt,
      'ratelimit-policy': `"month";q=${limits.perMonth}`,
      ratelimit: `"month";r=0;t=${secondsUntil(Date.parse(resetsAt), nowMs)}`,
    }
  }
  return {}
}

const secondsUntil = (timeMs: number, nowMs: number): number => Math.max(0, Math.ceil((timeMs - nowMs) / 1_000))
