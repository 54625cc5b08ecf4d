/**
 * Requests within this time after a check get its result, in milliseconds, because `/readyz` needs no authentication.
 */
const REUSED_MS = 1_000

/**
 * Returns the result of the running check, or of a check that ended within `REUSED_MS`. Otherwise starts a new check.
 */
export function reusedCheck(check: () => Promise<void>): () => Promise<void> {
  let result = Promise.resolve()
  let untilMs = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() >= untilMs) {
      untilMs = Number.POSITIVE_INFINITY
      const ended = () => void (untilMs = performance.now() + REUSED_MS)
      result = check()
      // Callers handle the rejection.
      result.then(ended, ended)
    }
    return result
  }
}
