/** What is over only takes room, so dropping it can wait; ten minutes keep each sweep short. */
const SWEEP_EVERY_MS = 10 * 60_000

export interface SweeperParts {
  /** Drops what is over. */
  sweep: () => Promise<unknown>
  onFault: (error: unknown) => void
}

/** Sweeps now and then, until disposed. */
export function startSweeper({ sweep, onFault }: SweeperParts): AsyncDisposable {
  let sweeping = Promise.resolve<unknown>(null)
  const start = () => (sweeping = sweep().catch(onFault))
  start()
  const timer = setInterval(start, SWEEP_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await sweeping
    },
  }
}
