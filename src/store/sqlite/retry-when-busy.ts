import { wrapMethods } from '../wrap-methods.ts'
import { faultOf, toStoreError } from './store-error.ts'

/** How long to wait for the write lock. Other processes normally hold it for milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000

/** The delay between tries doubles from the first value to the second. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/**
 * Wraps a store so that its methods are retried while another process holds the write lock. SQLite's own busy handler
 * would block the event loop. A method that found the database busy can be repeated: it has changed nothing, or only
 * changes that the repetition makes again. Errors of the database are thrown as StoreError. `check` is called before
 * each try and may throw a StoreError. A value that a method returns without a promise is returned as is.
 */
export function retryWhenBusy<T extends object>(store: T, check: () => void = () => {}): T {
  return wrapMethods(store, (method) => (...args) => {
    const tryOnce = () => {
      try {
        check()
        return method(...args)
      } catch (error) {
        return Promise.reject(error)
      }
    }
    const result = tryOnce()
    return result instanceof Promise ? whenFree(result, tryOnce) : result
  })
}

/**
 * Tries again, with pauses, while the database is locked.
 * @throws StoreError if the database is still locked after `BUSY_TIMEOUT_MS`
 */
export async function whenFree<T>(first: Promise<T>, tryAgain: () => T | Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
  let result: T | Promise<T> = first
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await result
    } catch (error) {
      if (faultOf(error) !== 'locked' || performance.now() >= deadlineMs) throw toStoreError(error)
    }
    await Bun.sleep(pauseMs)
    result = tryAgain()
  }
}
