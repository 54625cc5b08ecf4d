import type { Budget } from '../../core/ports.ts'

/** A moment before the end of a budget, as a signal; disposing it stops the clock. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

/**
 * Aborts when the budget is down to `reserveMs`, or when nobody waits any more. A budget can grow while it runs, so it
 * is asked anew each time it seems to be spent.
 */
export function deadlineOf(budget: Budget, reserveMs: number): Deadline {
  const controller = new AbortController()
  const end = () => {
    clearTimeout(timer)
    controller.abort(new Error('out of time'))
  }
  let timer: Timer
  const wait = () => {
    const leftMs = budget.remainingMs() - reserveMs
    if (leftMs <= 0) end()
    else timer = setTimeout(wait, leftMs)
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
