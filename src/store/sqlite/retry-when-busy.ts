import { StoreError } from '../../core/store-fault.ts'
import { hasFault, toStoreError } from './store-error.ts'

/** Another process holds the write lock for milliseconds; after five seconds something is wrong. */
export const BUSY_TIMEOUT_MS = 5_000

/** The delay between tries, doubling from the first bound to the second. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/**
 * Wraps a store so that its methods are retried while another process holds the write lock. SQLite's own busy handler
 * would block the event loop. A method that found the database busy has changed nothing, so it is safe to retry. Errors
 * of the database are thrown as StoreError; `check` is called before each try and may throw one.
 */
export function retryWhenBusy<T extends object>(store: T, check: () => void = () => {}): T {
  const verbs = Object.entries(store).map(([name, verb]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    (...args: unknown[]) =>
      whenFree(() => {
        check()
        return verb(...args)
      }),
  ])
  return Object.fromEntries(verbs) as T
}

async function whenFree<T>(verb: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await verb()
    } catch (error) {
      if (error instanceof StoreError) throw error
      if (!hasFault(error, 'locked') || performance.now() >= deadlineMs) throw toStoreError(error)
      await Bun.sleep(pauseMs)
    }
  }
}
