import { AppError, FetchError } from '../core/errors.ts'
import type { Budget } from '../core/ports.ts'

/** How long somebody waits for a piece of work. */
export interface Patience {
  /** The user who asks; null in the shell. Work counts as that of the one who started it. */
  caller: string | null
  timeoutMs: number
  /** Aborts when the one who asked has gone. */
  gone: AbortSignal
}

/**
 * Single flight: those who ask for the same thing at the same time share one piece of work, each with patience of their
 * own. The work goes on as long as anybody waits for it and is aborted when the last one has left.
 */
export interface Flights<T> {
  /**
   * Joins the work under way for `key`, or starts it; with `key` null it is shared with nobody.
   * @throws FetchError `timeout` after the patience, AppError `client_closed` when gone, or what the work throws
   */
  join(key: string | null, patience: Patience, work: (budget: Budget) => Promise<T>): Promise<T>
}

interface Flight<T> {
  work: Promise<T>
  /** When each of those who wait gives up, in `performance.now()` milliseconds. */
  waiting: Set<{ deadlineMs: number }>
  /** Ends the work, since nobody waits for it. */
  abandon(reason: Error): void
}

export function createFlights<T>(): Flights<T> {
  const shared = new Map<string, Flight<T>>()

  function start(key: string | null, caller: string | null, work: (budget: Budget) => Promise<T>): Flight<T> {
    const waiting: Flight<T>['waiting'] = new Set()
    const controller = new AbortController()
    const land = () => {
      if (key !== null && shared.get(key) === flight) shared.delete(key)
    }
    const flight: Flight<T> = {
      // Starts in the next microtask, when the first one waits and the budget is known.
      work: Promise.resolve()
        .then(() => {
          // Whoever started it may have gone already.
          controller.signal.throwIfAborted()
          return work({
            caller,
            signal: controller.signal,
            remainingMs() {
              const latest = Math.max(...Array.from(waiting, ({ deadlineMs }) => deadlineMs))
              return Math.max(0, latest - performance.now())
            },
          })
        })
        .finally(land),
      waiting,
      abandon(reason) {
        land()
        controller.abort(reason)
      },
    }
    if (key !== null) shared.set(key, flight)
    return flight
  }

  function wait(flight: Flight<T>, { timeoutMs, gone }: Patience): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter = { deadlineMs: performance.now() + timeoutMs }
      flight.waiting.add(waiter)

      const leave = (reason: Error) => {
        stopWaiting()
        if (flight.waiting.size === 0) flight.abandon(reason)
        reject(reason)
      }
      const leaveGone = () => leave(new AppError('client_closed', 'The client closed the connection'))
      const timer = setTimeout(() => leave(new FetchError('timeout', `timed out after ${timeoutMs} ms`)), timeoutMs)
      const stopWaiting = () => {
        clearTimeout(timer)
        gone.removeEventListener('abort', leaveGone)
        flight.waiting.delete(waiter)
      }

      flight.work.then(resolve, reject).finally(stopWaiting)
      if (gone.aborted) leaveGone()
      else gone.addEventListener('abort', leaveGone)
    })
  }

  return {
    join: (key, patience, work) =>
      wait((key === null ? undefined : shared.get(key)) ?? start(key, patience.caller, work), patience),
  }
}
