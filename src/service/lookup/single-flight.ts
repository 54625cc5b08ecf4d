import { AppError, FetchError } from '../../core/errors.ts'
import type { Budget, Principal } from '../../core/fetch/ports.ts'

/** How long a caller waits for shared work, which counts against the user who started it. */
export interface WaitOptions extends Principal {
  timeoutMs: number
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

type Work<T> = (budget: Budget) => Promise<T>

interface Flight<T> {
  work: Promise<T>
  /** The deadline of each waiting caller, in `performance.now()` milliseconds. */
  waiting: Set<{ deadlineMs: number }>
  /** Called when a caller joins. */
  extended: () => void
  /** Aborts the work, because no caller waits for it. */
  abandon(reason: Error): void
}

/**
 * Single flight: concurrent callers with the same key share one task, each with its own timeout. The task continues
 * while any caller waits for it, and is aborted when the last one stops waiting.
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
    /** Later callers do not join the pending work for these keys; its callers still get the result. */
    unshare(isUnshared: (key: string) => boolean) {
      for (const key of shared.keys()) if (isUnshared(key)) shared.delete(key)
    },

    /**
     * Joins the pending work for `key`, or starts it; with `key` null the work is not shared.
     * @throws FetchError `timeout`, AppError `client_closed` when the client has disconnected, or the work's error
     */
    join: (key: string | null, waitOptions: WaitOptions, work: Work<T>): Promise<T> =>
      wait((key === null ? undefined : shared.get(key)) ?? start(key, waitOptions, work), waitOptions),
  }
}
