/** Expired rows only take space; ten minutes keep each sweep short. */
const SWEEP_EVERY_MS = 10 * 60_000

/** Runs something again and again until it is disposed; `setInterval`, unless a test has a timer of its own. */
export type Repeat = (run: () => void, everyMs: number) => Disposable

export interface SweeperDeps {
  /** Deletes expired rows. */
  sweep: () => Promise<unknown>
  onFault: (error: unknown) => void
  repeat?: Repeat
}

/** Sweeps periodically until disposed. */
export function startSweeper({ sweep, onFault, repeat = repeatByTimer }: SweeperDeps): AsyncDisposable {
  let sweeping = Promise.resolve<unknown>(null)
  const start = () => (sweeping = sweep().catch(onFault))
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
