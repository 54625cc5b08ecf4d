interface BackOffDeps {
  /** A monotonic clock, in milliseconds. */
  now: () => number
  /** The number of consecutive failures before the first delay. */
  failuresBeforeDelay: number
  /** The first delay. It doubles with each further failure. */
  firstMs: number
  maxMs: number
}

/** Decides when a failed operation may be retried. The delay grows with the number of consecutive failures. */
export function createBackOff({ now, failuresBeforeDelay, firstMs, maxMs }: BackOffDeps) {
  let failures = 0
  let nextAtMs = -Infinity
  return {
    /** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
    remainingMs: () => Math.max(0, nextAtMs - now()),
    failed() {
      failures++
      if (failures > failuresBeforeDelay)
        nextAtMs = now() + Math.min(maxMs, firstMs * 2 ** (failures - failuresBeforeDelay - 1))
    },
    succeeded() {
      failures = 0
      nextAtMs = -Infinity
    },
  }
}
