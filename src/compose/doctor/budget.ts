import type { Budget } from '../../core/fetch-ports.ts'

/** The budget of one check for fetching a page. */
export function budgetFor(timeoutMs: number, signal: AbortSignal): Budget {
  const deadlineMs = performance.now() + timeoutMs
  return {
    userId: null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    remainingMs: () => Math.max(0, deadlineMs - performance.now()),
  }
}
