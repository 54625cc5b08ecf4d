import { MINUTE_MS } from '../../core/duration.ts'

/** One page may cause two failures, because it is tried twice. That must not delay other pages. */
const FAILURES_BEFORE_DELAY = 2

/** The delay doubles with each further failure. Each start takes up to `START_MS` of CPU time. */
const FIRST_MS = 1_000
const MAX_MS = MINUTE_MS

/** Decides when a browser that failed may be started again. @param now a monotonic clock, in milliseconds */
export function createBackOff(now: () => number) {
  let failures = 0
  let nextAtMs = -Infinity
  return {
    /** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
    remainingMs: () => Math.max(0, nextAtMs - now()),
    failed() {
      failures++
      const delays = failures - FAILURES_BEFORE_DELAY
      if (delays > 0) nextAtMs = now() + Math.min(MAX_MS, FIRST_MS * 2 ** (delays - 1))
    },
    succeeded() {
      failures = 0
      nextAtMs = -Infinity
    },
  }
}
