import { MINUTE_MS } from '../../core/duration.ts'
import { periodicTask, type Repeat } from './periodic-task.ts'

/** Expired rows only use space, so deleting them can wait. Every ten minutes is enough to keep sweeps short. */
const SWEEP_EVERY_MS = 10 * MINUTE_MS

/**
 * How long disposing waits for the running task, in milliseconds. The steps of a task are much shorter, but a large
 * sweep takes minutes. Such a sweep is interrupted between two steps, when its store is closed, and continues after the
 * next start.
 */
const STOP_TIMEOUT_MS = 1_000

export interface SweeperDeps {
  /** By name, in the order in which they run. */
  tasks: Readonly<Record<string, () => Promise<unknown>>>
  /** Called when a task fails; the other tasks still run. */
  onError: (error: unknown, task: string) => void
  repeat?: Repeat
}

/** Sweeps at the start and then periodically until disposed. Sweeps do not overlap: a long one delays the next. */
export function startSweeper({ tasks, onError, repeat }: SweeperDeps): AsyncDisposable {
  let isStopped = false

  async function sweep() {
    for (const [name, task] of Object.entries(tasks)) {
      if (isStopped) return
      try {
        await task()
      } catch (error) {
        if (!isStopped) onError(error, name)
      }
    }
  }

  const sweeps = periodicTask(sweep, SWEEP_EVERY_MS, repeat)
  sweeps.start()
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      const { promise: timedOut, resolve } = Promise.withResolvers<void>()
      using _timer = setTimeout(resolve, STOP_TIMEOUT_MS)
      await Promise.race([sweeps[Symbol.asyncDispose](), timedOut])
    },
  }
}
