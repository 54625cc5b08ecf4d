/** Whether a result stored at `storedAtMs` has not expired yet. */
export function isFresh(storedAtMs: number, nowMs: number, ttlMs: number): boolean {
  return nowMs - storedAtMs < ttlMs
}
