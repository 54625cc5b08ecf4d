import { AppError, FetchError } from '../../core/errors.ts'
import type { Budget, Caller } from '../../core/fetch/ports.ts'

/** How long a caller waits for shared work. The work counts against the user who started it. */
export interface WaitOptions extends Caller {
  timeoutMs: number
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

type Work<T> = (budget: Budget) => Promise<T>

interface Flight<T> {
  work: Promise<T>
  /** The deadline of each waiting caller, in `performance.now()` milliseconds. */
  waiting: Set<{ deadlineMs: number }>
  /** Called when another caller joins the work. */
  extended: () => void
  /** Aborts the work, because no caller waits for it. */
  abandon(reason: Error): void
}

/**
 * Single flight: concurrent callers with the same key share one task, and each caller has its own timeout. The task
 * continues while any caller waits for it, and is aborted when the last caller stops waiting.
 */
export function createSingleFlight<T>() {
  const shared = new Map<string, Flight<T>>()

  function start(key: string | null, { userId, publicOnly, language }: WaitOptions, work: Work<T>): Flight<T> {
    const waiting: Flight<T>['waiting'] = new Set()
    const controller = new AbortController()
    const unshare = () => {
      if (key !== null && shared.get(key) === flight) shared.delete(key)
    }
    const flight: Flight<T> = {
      // Starts in the next microtask, after the first caller has set its deadline.
      work: Promise.resolve()
        .then(() => {
          // The caller may have stopped waiting before the task starts.
          controller.signal.throwIfAborted()
          return work({
            userId,
            publicOnly,
            language,
            signal: controller.signal,
            remainingMs() {
              const latest = Math.max(...Array.from(waiting, ({ deadlineMs }) => deadlineMs))
              return Math.max(0, latest - performance.now())
            },
            onExtended: (run) => void (flight.extended = run),
          })
        })
        .finally(unshare),
      waiting,
      extended() {},
      abandon(reason) {
        unshare()
        controller.abort(reason)
      },
    }
    if (key !== null) shared.set(key, flight)
    return flight
  }

  function wait(flight: Flight<T>, { timeoutMs, signal }: WaitOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter = { deadlineMs: performance.now() + timeoutMs }
      flight.waiting.add(waiter)
      flight.extended()

      const leave = (reason: Error) => {
        stopWaiting()
        if (flight.waiting.size === 0) flight.abandon(reason)
        reject(reason)
      }
      const onAbort = () => leave(new AppError('client_closed', 'The client closed the connection'))
      const onTimeout = () => leave(new FetchError('timeout', { reason: `timed out after ${timeoutMs} ms` }))
      const timer = setTimeout(onTimeout, timeoutMs)
      const stopWaiting = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        flight.waiting.delete(waiter)
      }

      flight.work.then(resolve, reject).finally(stopWaiting)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort)
    })
  }

  return {
    /**
     * Removes the pending work for these keys, so that later callers do not join the work. Callers that have joined
     * still get its result.
     */
    unshare(isUnshared: (key: string) => boolean) {
      for (const key of shared.keys()) if (isUnshared(key)) shared.delete(key)
    },

    /**
     * Joins the pending work for `key`, or starts it. With a `key` of null, the work is not shared.
     * @throws FetchError `timeout`, AppError `client_closed` when the client has disconnected, or the error of the work
     */
    join: (key: string | null, waitOptions: WaitOptions, work: Work<T>): Promise<T> =>
      wait((key === null ? undefined : shared.get(key)) ?? start(key, waitOptions, work), waitOptions),
  }
}
