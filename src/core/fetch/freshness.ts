import { MINUTE_MS } from '../duration.ts'

/** A clock correction may set the time back by this much. A result stored further in the future has a wrong time. */
export const CLOCK_TOLERANCE_MS = 2 * MINUTE_MS

export function isFresh(storedAtMs: number, nowMs: number, ttlMs: number): boolean {
  const ageMs = nowMs - storedAtMs
  return ageMs < ttlMs && ageMs >= -CLOCK_TOLERANCE_MS
}
