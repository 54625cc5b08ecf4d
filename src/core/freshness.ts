/** How far a clock may be set back by a correction; a result from further ahead was stored by a clock that was wrong. */
export const CLOCK_TOLERANCE_MS = 2 * 60_000

/** Whether a result stored at `storedAtMs` has not expired yet. */
export function isFresh(storedAtMs: number, nowMs: number, ttlMs: number): boolean {
  const ageMs = nowMs - storedAtMs
  return ageMs < ttlMs && ageMs >= -CLOCK_TOLERANCE_MS
}
