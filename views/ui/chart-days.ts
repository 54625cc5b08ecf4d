import type { DailyUsage } from '../../src/core/usage/ports.ts'

/** The time that a column of a chart covers. */
export type ChartUnit = 'hour' | 'day' | 'month'

/** One column. `fresh` and `cached` together are the successful requests. */
export interface ChartDay {
  /** In UTC: a day `2026-11-20`, an hour `2026-11-20T14` or a month `2026-11`. */
  day: string
  fresh: number
  cached: number
  failed: number
}

export type ChartTotals = ReturnType<typeof totalsOf>

/** The number of days of every chart with a fixed period. */
export const CHART_DAYS = 30

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The number of characters of an ISO time up to its hour, day or month. */
const NAME_LENGTH: Record<ChartUnit, number> = { hour: 13, day: 10, month: 7 }

/** A time in the hour, day or month that is `count` units before that of `nowMs`. */
export function unitsBefore(nowMs: number, count: number, unit: ChartUnit): number {
  if (unit !== 'month') return nowMs - count * (unit === 'hour' ? HOUR_MS : DAY_MS)
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count)
}

/** One column for each of the `length` days, hours or months up to `nowMs`, in UTC. Counts of the same column are summed. */
export function chartDays(counts: readonly DailyUsage[], length: number, nowMs: number, unit: ChartUnit = 'day') {
  const nameOf = (time: string) => time.slice(0, NAME_LENGTH[unit])
  const days = Array.from({ length }, (_, index): ChartDay => {
    const time = new Date(unitsBefore(nowMs, length - 1 - index, unit)).toISOString()
    return { day: nameOf(time), fresh: 0, cached: 0, failed: 0 }
  })
  const byDay = new Map(days.map((day) => [day.day, day]))
  for (const { day, successes, cacheHits, failures } of counts) {
    const column = byDay.get(nameOf(day))
    if (!column) continue
    column.fresh += successes - cacheHits
    column.cached += cacheHits
    column.failed += failures
  }
  return days
}

export function unitOf(days: readonly ChartDay[]): ChartUnit {
  const [unit] = Object.entries(NAME_LENGTH).find(([, length]) => length === days[0]?.day.length)!
  return unit as ChartUnit
}

export const requestCount = ({ fresh, cached, failed }: ChartDay): number => fresh + cached + failed

/** The sums of the columns, and the column with the most requests; null when there were no requests. */
export function totalsOf(days: readonly ChartDay[]) {
  const totals = { responses: 0, cached: 0, failed: 0, busiest: null as ChartDay | null }
  for (const day of days) {
    totals.responses += day.fresh + day.cached
    totals.cached += day.cached
    totals.failed += day.failed
    if (requestCount(day) > (totals.busiest === null ? 0 : requestCount(totals.busiest))) totals.busiest = day
  }
  return totals
}

/** A column is an outlier if it has more than this many times the requests of any other column. */
const OUTLIER_FACTOR = 4

/** The outlier, which is cut so that the other columns can be read; null when there is none. */
export function outlierOf(days: readonly ChartDay[]): ChartDay | null {
  const [highest, second] = days.toSorted((a, b) => requestCount(b) - requestCount(a))
  if (highest === undefined || second === undefined) return null
  const limit = requestCount(second) * OUTLIER_FACTOR
  return limit > 0 && requestCount(highest) > limit ? highest : null
}

/** Round numbers per power of ten. A column of the highest value fills at least three quarters of the axis. */
const AXIS_STEPS = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]

/** The axis maximum: the smallest round number that is at least `highest` and even, so that its half is an integer. */
export function axisTop(highest: number): number {
  if (highest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(highest))
  return AXIS_STEPS.map((step) => Math.round(step * power)).find((top) => top >= highest && top % 2 === 0)!
}
