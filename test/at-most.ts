/**
 * Runs at most `limit` functions at a time. For concurrent tests that mostly wait: without a limit, twenty of them
 * would start together and all time out on two cores.
 */
export function atMost(limit: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = limit
  return async (run) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      // Passes the slot to the next one, or frees it.
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
