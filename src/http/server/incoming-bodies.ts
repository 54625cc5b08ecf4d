/** Request bodies that are still being received. A client that never finishes sending must not delay shutdown. */
export type IncomingBodies = ReturnType<typeof createIncomingBodies>

export function createIncomingBodies() {
  let receiving = 0
  return {
    /** Counts the body until it has been received. */
    async track<T>(body: Promise<T>): Promise<T> {
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
