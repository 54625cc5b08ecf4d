/** Expired rows only take up space. Frequent sweeps keep each one short. */
const SWEEP_EVERY_MS = 10 * 60_000

/** Runs a function periodically until disposed. Tests replace `setInterval`. */
export type Repeat = (run: () => void, everyMs: number) => Disposable

export interface SweeperDeps {
  /** Deletes expired rows. */
  sweep: () => Promise<unknown>
  onError: (error: unknown) => void
  repeat?: Repeat
}

/** Sweeps periodically until disposed. */
export function startSweeper({ sweep, onError, repeat = repeatByTimer }: SweeperDeps): AsyncDisposable {
  let sweeping = Promise.resolve<unknown>(null)
  const start = () => (sweeping = sweep().catch(onError))
  start()
  const timer = repeat(start, SWEEP_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      await sweeping
    },
  }
}

function repeatByTimer(run: () => void, everyMs: number): Disposable {
  const timer = setInterval(run, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
