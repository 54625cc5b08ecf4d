/** The number of running and waiting tasks. */
export interface Load {
  active: number
  limit: number
  /** Tasks waiting for a slot. */
  waiting: number
}

export type ConcurrencyCounter = ReturnType<typeof createConcurrencyCounter>

/** Counts tasks. Does not limit them: `limit` is enforced elsewhere. */
export function createConcurrencyCounter(limit: number) {
  let inFlight = 0
  return {
    /** Runs a task and counts it. */
    async track<T>(work: () => Promise<T>): Promise<T> {
      inFlight++
      try {
        return await work()
      } finally {
        inFlight--
      }
    },
    read: () => ({ active: Math.min(inFlight, limit), limit, waiting: Math.max(0, inFlight - limit) }),
  }
}
