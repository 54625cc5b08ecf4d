import type { Budget } from '../../core/fetch/ports.ts'

/**
 * A signal that aborts when only `reserveMs` of the budget are left, or when the budget's signal aborts. A budget can
 * be extended while it runs, so the remaining time is checked again each time the timer fires. Disposing the result
 * stops the timer.
 */
export function deadlineOf(budget: Budget, reserveMs: number) {
  const controller = new AbortController()
  const end = () => {
    clearTimeout(timer)
    controller.abort(new Error('out of time'))
  }
  let timer: Timer
  const wait = () => {
    const waitMs = budget.remainingMs() - reserveMs
    if (waitMs <= 0) end()
    else timer = setTimeout(wait, waitMs)
  }
  budget.signal.addEventListener('abort', end, { once: true })
  if (budget.signal.aborted) end()
  else wait()
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      budget.signal.removeEventListener('abort', end)
    },
  }
}
