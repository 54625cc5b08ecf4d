/**
 * Garbage is collected after this many milliseconds without work. A collection takes up to 100 ms, so it must not delay
 * the next request of a busy server.
 */
const IDLE_MS = 3_000

export interface IdleMemoryOptions {
  /** Whether the thread has no work now. */
  isIdle: () => boolean
  collect?: () => void
  idleMs?: number
}

/**
 * Collects the garbage of an idle thread. The engine itself collects only when more is allocated. Each thread has its own
 * heap.
 */
export function collectWhenIdle({ isIdle, collect = collectAll, idleMs = IDLE_MS }: IdleMemoryOptions) {
  let lastMs = 0
  let timer: Timer | null = null

  function schedule(afterMs: number): void {
    // The timer does not keep the process alive.
    timer = setTimeout(check, afterMs).unref()
  }

  function check(): void {
    const restMs = lastMs + idleMs - performance.now()
    if (restMs > 0 || !isIdle()) return schedule(Math.max(restMs, idleMs / 10))
    timer = null
    collect()
  }

  return {
    /** To be called at the end of each piece of work. */
    noteEnd(): void {
      lastMs = performance.now()
      if (timer === null) schedule(idleMs)
    },
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

function collectAll(): void {
  // `Bun.shrink` would also discard compiled code: the next pages then took twice the CPU time.
  Bun.gc(true)
}
