/** Expired rows only take room, so deleting them can wait; ten minutes keep each sweep short. */
const SWEEP_EVERY_MS = 10 * 60_000

/** Runs something again and again until it is disposed; `setInterval`, unless a test has a timer of its own. */
export type Repeat = (run: () => void, everyMs: number) => Disposable

export interface SweeperDeps {
  /** What is swept, by name, in this order. */
  tasks: Readonly<Record<string, () => Promise<unknown>>>
  /** A task failed; the others are done all the same. */
  onError: (error: unknown, task: string) => void
  repeat?: Repeat
}

/** Sweeps at once and then now and then, until disposed. A sweep that takes longer than the pause delays the next one. */
export function startSweeper({ tasks, onError, repeat = repeatByTimer }: SweeperDeps): AsyncDisposable {
  let isStopped = false
  let sweeping: Promise<void> | null = null

  async function sweep() {
    for (const [name, task] of Object.entries(tasks)) {
      if (isStopped) return
      try {
        await task()
      } catch (error) {
        onError(error, name)
      }
    }
  }

  const start = () => {
    sweeping ??= sweep().finally(() => (sweeping = null))
  }
  start()
  const timer = repeat(start, SWEEP_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      timer[Symbol.dispose]()
      await sweeping
    },
  }
}

/** By a timer of the process. */
export function repeatByTimer(run: () => void, everyMs: number): Disposable {
  const timer = setInterval(run, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
