import { StoreError, type StoreFault } from '../../core/store-fault.ts'
import { within } from '../deadline.ts'
import { checkpoint, type CheckpointTask } from './checkpoint.ts'

/** Runs tasks, one at a time. */
export interface DiskThread {
  /** @throws StoreError, or another error */
  run(task: CheckpointTask): Promise<void>
}

/** The reply of `disk-worker.ts`; errors lose their type between threads. */
export interface TaskFailure {
  fault: StoreFault | null
  message: string
}

/** In the executable, entry points keep their paths relative to the project's root. */
const ENTRY = new URL(
  Bun.isStandaloneExecutable ? './src/store/sqlite/disk-worker.ts' : './disk-worker.ts',
  import.meta.url,
).href

/** How long disposing waits for the task in progress, in milliseconds. Enough for several syncs of a slow disk. */
const STOP_MS = 10_000

/** For commands, which need no thread because nothing else waits for their event loop. */
export const mainThread: DiskThread = { run: async (task) => checkpoint(task) }

/**
 * A thread that waits for the disk, so that the event loop does not. If the thread ends, its task is run on the main
 * thread, and the next task starts another thread. Disposing waits for the task in progress.
 */
export function startDiskThread(onEnd: () => void, entry = ENTRY): DiskThread & AsyncDisposable {
  let worker: Worker | null = null
  let reply: PromiseWithResolvers<TaskFailure | null> | null = null
  let last = Promise.resolve()

  function start(): Worker {
    const started = new Worker(entry, { smol: true })
    started.addEventListener('message', ({ data }) => reply?.resolve(data))
    started.addEventListener('error', (event) => event.preventDefault())
    started.addEventListener('close', () => {
      worker = null
      reply?.reject(new Error('the thread ended'))
    })
    return started
  }

  async function execute(task: CheckpointTask) {
    let failure: TaskFailure | null
    try {
      reply = Promise.withResolvers()
      worker ??= start()
      worker.postMessage(task)
      failure = await reply.promise
    } catch {
      onEnd()
      return checkpoint(task)
    }
    if (failure === null) return
    const cause = new Error(failure.message)
    throw failure.fault === null ? cause : new StoreError(failure.fault, { cause })
  }

  return {
    run(task) {
      const done = last.then(() => execute(task))
      last = done.catch(() => {})
      return done
    },
    async [Symbol.asyncDispose]() {
      // The data is already in the write-ahead log.
      await within(STOP_MS, last, 'slow_disk').catch(() => {})
      reply = null
      worker?.terminate()
    },
  }
}
