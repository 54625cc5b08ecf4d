import { minuteEndSeconds, minuteOf } from '../../core/period.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'

/**
 * How far the clock may step back without starting a new window, in minutes. A small correction must not reset a used-up
 * minute, but a clock that was hours ahead must not block keys for hours.
 */
const CLOCK_STEP_MINUTES = 2

/**
 * Limits by clock minute, counted in this process. Stores one number for each key of the current minute.
 * @param maxKeys the maximum number of keys counted in a minute; requests of further keys are allowed. Needed for keys
 * that clients choose, such as addresses. Keys of users are limited by the number of users.
 */
export function memoryRateLimiter(maxKeys = Infinity): RateLimiter {
  let minute = Number.NEGATIVE_INFINITY
  let taken = new Map<string, { count: number }>()

  function advanceTo(nowMs: number): void {
    const now = minuteOf(nowMs)
    if (now <= minute && now >= minute - CLOCK_STEP_MINUTES) return
    minute = now
    taken = new Map()
  }

  const takenOf = (key: string) => taken.get(key)?.count ?? 0

  function add(key: string): { count: number } {
    const added = { count: 0 }
    if (taken.size < maxKeys) taken.set(key, added)
    return added
  }

  return {
    take(counts, nowMs) {
      advanceTo(nowMs)
      const resetsAt = minuteEndSeconds(minute)
      const refusing = counts.find(({ key, limit }) => takenOf(key) >= limit)
      if (refusing !== undefined) return { allowed: false, refusedBy: refusing.key, remaining: 0, resetsAt }
      let remaining = Infinity
      for (const { key, limit } of counts) {
        const ofKey = taken.get(key) ?? add(key)
        remaining = Math.min(remaining, limit - ++ofKey.count)
      }
      return { allowed: true, remaining, resetsAt }
    },

    async raise(from, to, nowMs) {
      advanceTo(nowMs)
      const most = Math.max(...from.map(takenOf))
      if (most > 0) for (const key of to) taken.set(key, { count: Math.max(most, takenOf(key)) })
    },
  }
}
