import { FetchError } from '../../src/core/errors.ts'
import type { Budget } from '../../src/core/fetch/ports.ts'

/** Enough for every operation that succeeds, on a busy machine. */
export const GENEROUS_MS = 10_000

/** The budget of one request. */
export function budgetOf(timeoutMs: number = GENEROUS_MS, caller: string | null = null): Budget & Disposable {
  const controller = new AbortController()
  const deadlineMs = performance.now() + timeoutMs
  const timer = setTimeout(() => controller.abort(new FetchError('timeout')), timeoutMs)
  return {
    userId: caller,
    publicOnly: false,
    signal: controller.signal,
    remainingMs: () => Math.max(0, deadlineMs - performance.now()),
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
