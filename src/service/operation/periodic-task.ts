/** Runs a function periodically until disposed. Tests pass their own timer. */
export type Repeat = (run: () => void, everyMs: number) => Disposable

/**
 * Runs a task, which never rejects, periodically and when `start` is called. Runs do not overlap: a start during a run does
 * nothing. Disposing stops the timer and waits for the run in progress.
 */
export function periodicTask(task: () => Promise<unknown>, everyMs: number, repeat: Repeat = setInterval) {
  let running: Promise<unknown> | null = null
  const start = () => {
    running ??= task().finally(() => (running = null))
  }
  const timer = repeat(start, everyMs)
  return {
    start,
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      await running
    },
  }
}
