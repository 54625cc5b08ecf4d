/** A second process may hold the write lock; it does so for milliseconds, so five seconds mean that something is wrong. */
export const BUSY_TIMEOUT_MS = 5_000

/** Between two tries, doubling from the first to the second. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/**
 * The same store, whose verbs wait for the write lock without stopping the event loop: SQLite's own waiting would hold
 * up every request of this process. A verb that found the database busy has done nothing, so it can be tried again.
 */
export function patient<T extends object>(store: T): T {
  const verbs = Object.entries(store).map(([name, verb]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    (...args: unknown[]) => whenFree(() => verb(...args)),
  ])
  return Object.fromEntries(verbs) as T
}

async function whenFree<T>(verb: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await verb()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) throw error
      await Bun.sleep(pauseMs)
    }
  }
}

/** drizzle wraps what SQLite throws. https://sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && String(error.code).startsWith('SQLITE_BUSY')) || isBusy(error.cause)
}
