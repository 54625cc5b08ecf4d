/**
 * Runs at most so many at a time; the others wait. For concurrent tests that mostly wait: without a bound twenty of them
 * would start at once, and two cores would serve none of them in time.
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
      // The slot goes to the next one, or is free again.
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
