import { minuteEndSeconds, minuteOf } from '../../core/period.ts'
import type { RateLimiter } from '../../core/ports.ts'

/**
 * How far the clock may step back without opening a new window, in minutes: a corrected clock must not unlock a used-up
 * minute, but one that had been hours ahead must not lock keys out for hours.
 */
const CLOCK_STEP_MINUTES = 2

/** Fixed clock minutes, counted in this process. Holds one number for each count of the current minute. */
export function memoryRateLimiter(): RateLimiter {
  let minute = Number.NEGATIVE_INFINITY
  let taken = new Map<string, number>()

  function turnTo(nowMs: number): void {
    const now = minuteOf(nowMs)
    if (now <= minute && now >= minute - CLOCK_STEP_MINUTES) return
    minute = now
    taken = new Map()
  }

  const takenOf = (key: string) => taken.get(key) ?? 0

  return {
    async take(counts, nowMs) {
      turnTo(nowMs)
      const remainder = () => Math.min(...counts.map(({ key, limit }) => limit - takenOf(key)))
      const allowed = remainder() > 0
      if (allowed) for (const { key } of counts) taken.set(key, takenOf(key) + 1)
      return { allowed, remaining: Math.max(0, remainder()), resetsAt: minuteEndSeconds(minute) }
    },

    async carry(from, to, nowMs) {
      turnTo(nowMs)
      const most = Math.max(...from.map(takenOf))
      if (most > 0) for (const key of to) taken.set(key, Math.max(most, takenOf(key)))
    },
  }
}
