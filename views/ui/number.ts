import type { Latency } from '../../src/core/usage/request-log.ts'

const COUNT = new Intl.NumberFormat('en-US')

/** 12000 → `12,000`. */
export const countText = (value: number): string => COUNT.format(value)

/** `1 key`, `2 keys`, `1,000 keys`. */
export function pluralized(value: number, one: string): string {
  return `${countText(value)} ${one}${value === 1 ? '' : 's'}`
}

/** `part` as a percentage of `whole`, clamped to 0–100. */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.max(0, (part / whole) * 100))
}

/** A rounded percentage; small non-zero parts show as `<1%`, nearly all as `>99%`. */
export function percentText(part: number, whole: number): string {
  const value = percent(part, whole)
  if (value > 0 && value < 1) return '<1%'
  if (value > 99 && value < 100) return '>99%'
  return `${Math.round(value)}%`
}

/** 1536 → `1.5 KB`, in units of 1,000, like transferred bytes in the developer tools of browsers. */
export function decimalBytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** A latency in whole milliseconds: 0 → `<1 ms`, 184 → `184 ms`. */
export const latencyText = (ms: number) => msText(ms === 0 ? 0.5 : ms)

/** `184 ms / 1,204 ms`; a dash without requests. */
export const percentilesText = ({ p50, p95 }: Latency): string =>
  p50 === null || p95 === null ? '–' : `${latencyText(p50)} / ${latencyText(p95)}`

/** 0.4 → `<1 ms`, 184.2 → `184 ms`. */
export const msText = (ms: number): string => (ms > 0 && ms < 1 ? '<1 ms' : `${countText(Math.round(ms))} ms`)
