/** When something that failed may be tried again: the more often it failed in a row, the later. */
export interface BackOff {
  /** Milliseconds until the next try; 0 when it may be tried now. */
  remainingMs(): number
  failed(): void
  succeeded(): void
}

export interface BackOffDeps {
  /** Milliseconds of a clock that never goes back. */
  now: () => number
  /** Failures in a row that are not waited for. */
  free: number
  /** The wait after the first failure beyond those; it doubles with each further one. */
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
