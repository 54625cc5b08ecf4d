// Figures that several benchmarks print.
import { readFileSync } from 'node:fs'

/** Ticks per second of the CPU times in /proc (`getconf CLK_TCK`); 100 on every Linux platform that Bun supports. */
const TICKS_PER_SECOND = 100

/** The smallest value with at least `percent` of the values below it, or the largest. NaN for no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** How long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** User and system time of a process in milliseconds. */
export function cpuMsOf(pid: number): number {
  const [user, system] = cpuTimesOf(`/proc/${pid}/stat`)
  return user + system
}

/** The same for a process with its running and exited children. */
export function cpuMsOfFamily(main: number, children: readonly number[]): number {
  const times = children.flatMap((pid) => {
    try {
      return cpuMsOf(pid)
    } catch {
      // The process has exited, so its parent's time includes it.
      return []
    }
  })
  return [...cpuTimesOf(`/proc/${main}/stat`), ...times].reduce((sum, ms) => sum + ms, 0)
}

/** Milliseconds in user and system mode, of the process or thread and of its exited children: fields 14 to 17 of proc(5)'s stat. */
export function cpuTimesOf(path: string): [user: number, system: number, childrenUser: number, childrenSystem: number] {
  const stat = readFileSync(path, 'utf8')
  // The second field is the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const msOf = (index: number) => (Number(fields[index]) * 1_000) / TICKS_PER_SECOND
  return [msOf(11), msOf(12), msOf(13), msOf(14)]
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}

/** Reads the resident memory every 100 ms. Returns a function that ends this and returns the maximum in megabytes. */
export function watchPeak(pid: number): () => number {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, residentMegabytes(pid))), 100)
  return () => {
    clearInterval(timer)
    return peak
  }
}
