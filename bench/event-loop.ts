// How long the event loop of this process is blocked.

const TICK_MS = 5

/** Milliseconds. */
export interface Stall {
  worstMs: number
  /** How much of a delay this thread spent working; other processes caused the rest. */
  worstOwnMs: number
}

/** Measures the longest delay of a timer until `stop`. */
export function watchEventLoop(): { stop(): Stall } {
  let worstMs = 0
  let worstOwnMs = 0
  let lastMs = performance.now()
  let lastCpuMs = threadCpuMs()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const cpuMs = threadCpuMs()
    const lateMs = nowMs - lastMs - TICK_MS
    worstMs = Math.max(worstMs, lateMs)
    worstOwnMs = Math.max(worstOwnMs, Math.min(lateMs, cpuMs - lastCpuMs))
    lastMs = nowMs
    lastCpuMs = cpuMs
  }, TICK_MS)
  return {
    stop() {
      clearInterval(timer)
      return { worstMs, worstOwnMs }
    },
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
