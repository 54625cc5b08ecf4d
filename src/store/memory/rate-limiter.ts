import { minuteEndSeconds, minuteOf } from '../../core/period.ts'
import type { RateLimiter } from '../../core/ports.ts'

/**
 * How far the clock may step back without opening a new window, in minutes: a corrected clock must not unlock a used-up
 * minute, but one that had been hours ahead must not lock keys out for hours.
 */
const CLOCK_STEP_MINUTES = 2

/** Fixed clock minutes, counted in this process. Holds one number for each key seen in the current minute. */
export function memoryRateLimiter(): RateLimiter {
  let minute = Number.NEGATIVE_INFINITY
  let counts = new Map<string, number>()

  return {
    async take(keyId, limit, nowMs) {
      const now = minuteOf(nowMs)
      if (now > minute || now < minute - CLOCK_STEP_MINUTES) {
        minute = now
        counts = new Map()
      }
      const count = counts.get(keyId) ?? 0
      const allowed = count < limit
      if (allowed) counts.set(keyId, count + 1)
      return {
        allowed,
        remaining: Math.max(0, limit - count - (allowed ? 1 : 0)),
        resetsAt: minuteEndSeconds(minute),
      }
    },
  }
}
