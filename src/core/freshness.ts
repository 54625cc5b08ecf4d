/** Clocks may be set back this far by a correction. A result from further in the future was stored by a wrong clock. */
export const CLOCK_TOLERANCE_MS = 2 * 60_000

/** Whether a result stored at `storedAtMs` has not expired yet. */
export function isFresh(storedAtMs: number, nowMs: number, ttlMs: number): boolean {
  const ageMs = nowMs - storedAtMs
  return ageMs < ttlMs && ageMs >= -CLOCK_TOLERANCE_MS
}
