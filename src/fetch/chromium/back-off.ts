/** Decides when something that failed may be retried: the more consecutive failures, the later. */
export interface BackOff {
  /** Milliseconds until the next attempt; 0 when it may be made now. */
  remainingMs(): number
  failed(): void
  succeeded(): void
}

export interface BackOffDeps {
  /** A monotonic clock, in milliseconds. */
  now: () => number
  /** Consecutive failures without a wait. */
  free: number
  /** The wait after the next failure; it doubles with each further one. */
  firstMs: number
  maxMs: number
}

export function createBackOff({ now, free, firstMs, maxMs }: BackOffDeps): BackOff {
  let failures = 0
  let nextAtMs = -Infinity
  return {
    remainingMs: () => Math.max(0, nextAtMs - now()),
    failed() {
      failures++
      if (failures > free) nextAtMs = now() + Math.min(maxMs, firstMs * 2 ** (failures - free - 1))
    },
    succeeded() {
      failures = 0
      nextAtMs = -Infinity
    },
  }
}
