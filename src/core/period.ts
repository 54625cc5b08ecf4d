import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts'
import { keepingLast } from './memoized.ts'

/** Windows of the limits: clock minutes and calendar months, all in UTC. Times are Unix milliseconds. */

/** The number of the clock minute, counted from the Unix epoch. */
export const minuteOf = (nowMs: number): number => Math.floor(nowMs / MINUTE_MS)

/** The first instant of the minute after `minute`, in Unix seconds. */
export const minuteEndSeconds = (minute: number): number => (minute + 1) * 60

/** Whole seconds until a minute ends at the Unix second `resetsAt`; at most 60, even if the clock was set back. */
export function secondsLeft(resetsAt: number, nowMs: number): number {
  return Math.min(60, Math.max(0, Math.ceil(resetsAt - nowMs / 1_000)))
}

/** The value of `Retry-After`, at least 1. */
export function retryAfterSeconds(resetsAt: number, nowMs: number): number {
  return Math.max(1, secondsLeft(resetsAt, nowMs))
}

/** The calendar month: `2026-11`. */
export const monthOf = (nowMs: number): string => monthOfDay(Math.floor(nowMs / DAY_MS))

/** The calendar day: `2026-11-20`. */
export const dayOf = (nowMs: number): string => dateOfDay(Math.floor(nowMs / DAY_MS))

// The arguments are days since the Unix epoch.
const dateOfDay = keepingLast((day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10))
const monthOfDay = keepingLast((day: number) => dateOfDay(day).slice(0, 7))

/** The hour of the day: `2026-11-20T14`. */
export const hourOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 13)

/** The start of the month that is `count` months before the month of `nowMs`. */
export function monthsBefore(nowMs: number, count: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count)
}

/** The start and the end of a UTC day (`2026-11-20`) or hour (`2026-11-20T14`) in Unix milliseconds; null for other text. */
export function rangeOf(time: string): readonly [startMs: number, endMs: number] | null {
  const isHour = time.length === 13
  const startMs = Date.parse(isHour ? `${time}:00Z` : `${time}T00:00Z`)
  if (Number.isNaN(startMs) || hourOf(startMs) !== (isHour ? time : `${time}T00`)) return null
  return [startMs, startMs + (isHour ? HOUR_MS : DAY_MS)]
}

/** The first instant of the month after `month` (`2026-12` → `2027-01-01T00:00:00Z`). */
export function monthEnd(month: string): string {
  return new Date(monthEndMs(month)).toISOString().replace('.000Z', 'Z')
}

/** `monthEnd` in Unix milliseconds. */
export const monthEndMs = keepingLast((month: string) => Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1))
