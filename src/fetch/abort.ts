/**
 * Waits for `work` no longer than until the signal aborts, and rejects with its reason then. The work itself goes on:
 * for what cannot be cancelled, such as a question to a DNS server.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
