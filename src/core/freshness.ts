/** Whether a result stored at `storedAtMs` may still be answered. */
export function isFresh(storedAtMs: number, nowMs: number, ttlMs: number): boolean {
  return nowMs - storedAtMs < ttlMs
}
