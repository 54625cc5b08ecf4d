/** Request bodies that are still being received. A client that never finishes sending must not delay shutdown. */
export interface IncomingBodies {
  /** Counts the body until it has been received. */
  track<T>(body: Promise<T>): Promise<T>
  count(): number
}

export function createIncomingBodies(): IncomingBodies {
  let receiving = 0
  return {
    async track(body) {
      receiving++
      try {
        return await body
      } finally {
        receiving--
      }
    },
    count: () => receiving,
  }
}
