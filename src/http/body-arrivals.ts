/** Bodies of requests that are still arriving. One that never ends must not hold up a server that stops. */
export interface BodyArrivals {
  /** Counts the body until it is there. */
  track<T>(body: Promise<T>): Promise<T>
  count(): number
}

export function createBodyArrivals(): BodyArrivals {
  let arriving = 0
  return {
    async track(body) {
      arriving++
      try {
        return await body
      } finally {
        arriving--
      }
    },
    count: () => arriving,
  }
}
