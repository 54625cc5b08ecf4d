/** How much of something is going on at once. */
export interface Load {
  active: number
  /** The most there may be. */
  limit: number
  /** What waits until there is room for it. */
  waiting: number
}

export interface Gauge {
  /** Counts the work for as long as it takes. */
  around<T>(work: () => Promise<T>): Promise<T>
  read(): Load
}

/** Counts work that somebody else holds to `limit` at a time. */
export function createGauge(limit: number): Gauge {
  let begun = 0
  return {
    async around(work) {
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
