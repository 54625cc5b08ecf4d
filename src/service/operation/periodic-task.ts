/** Runs a function periodically until disposed. Tests pass their own timer. */
export type Repeat = (run: () => void, everyMs: number) => Disposable

/**
 * Runs a task, which never rejects, when `start` is called. Runs do not overlap: a start during a run returns that run.
 * Disposing waits for the run in progress.
 */
export function exclusiveTask(task: () => Promise<unknown>) {
  let running: Promise<unknown> | null = null
  const start = () => (running ??= task().finally(() => (running = null)))
  return {
    start,
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}

/** An exclusive task that also runs periodically. Disposing also stops the timer. */
export function periodicTask(task: () => Promise<unknown>, everyMs: number, repeat: Repeat = setInterval) {
  const exclusive = exclusiveTask(task)
  const timer = repeat(exclusive.start, everyMs)
  return {
    start: exclusive.start,
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      await exclusive[Symbol.asyncDispose]()
    },
  }
}
