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

/** User and system time of a process in milliseconds: fields 14 and 15 of proc(5)'s stat. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}
