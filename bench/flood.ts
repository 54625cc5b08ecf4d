// Requests that are sent in the background while something else is measured.

/** Sends requests, `concurrency` at a time, until disposed. Disposing waits for the pending ones. */
export function startFlood(concurrency: number, send: () => Promise<unknown>): AsyncDisposable {
  const over = new AbortController()
  const sending = Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (!over.signal.aborted) await send()
    }),
  )
  return {
    async [Symbol.asyncDispose]() {
      over.abort()
      await sending
    },
  }
}
