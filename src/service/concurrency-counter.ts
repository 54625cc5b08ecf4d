/** Running and waiting work. */
export interface Load {
  active: number
  /** The maximum. */
  limit: number
  /** Work that waits for a slot. */
  waiting: number
}

export interface ConcurrencyCounter {
  /** Counts the work while it runs. */
  track<T>(work: () => Promise<T>): Promise<T>
  read(): Load
}

/** Counts work whose concurrency is limited to `limit` elsewhere. */
export function createConcurrencyCounter(limit: number): ConcurrencyCounter {
  let begun = 0
  return {
    async track(work) {
      begun++
      try {
        return await work()
      } finally {
        begun--
      }
    },
    read: () => ({ active: Math.min(begun, limit), limit, waiting: Math.max(0, begun - limit) }),
  }
}
