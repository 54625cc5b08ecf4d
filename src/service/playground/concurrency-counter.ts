/** The number of running and waiting tasks. */
export interface Load {
  active: number
  limit: number
  /** Tasks waiting for a slot. */
  waiting: number
}

export interface ConcurrencyCounter {
  /** Runs a task and counts it. */
  track<T>(work: () => Promise<T>): Promise<T>
  read(): Load
}

/** Counts tasks. Does not limit them: `limit` is enforced elsewhere. */
export function createConcurrencyCounter(limit: number): ConcurrencyCounter {
  let inFlight = 0
  return {
    async track(work) {
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
