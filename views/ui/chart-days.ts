import type { DailyUsage } from '../../src/core/usage/ports.ts'

/** One day's column. `fresh` and `cached` together are the successful requests. */
export interface ChartDay {
  day: string
  fresh: number
  cached: number
  failed: number
}

export interface ChartTotals {
  responses: number
  cached: number
  failed: number
  /** The day with the most requests; null when there were none. */
  busiest: ChartDay | null
}

export const DAY_MS = 86_400_000

/** One column for each of the `length` days up to `nowMs`, in UTC. Several counts of a day are summed. */
export function chartDays(counts: readonly DailyUsage[], length: number, nowMs: number): ChartDay[] {
  const days = Array.from({ length }, (_, index) => emptyDay(nowMs - (length - 1 - index) * DAY_MS))
  const byDay = new Map(days.map((day) => [day.day, day]))
  for (const { day, successes, cacheHits, failures } of counts) {
    const column = byDay.get(day)
    if (!column) continue
    column.fresh += successes - cacheHits
    column.cached += cacheHits
    column.failed += failures
  }
  return days
}

function emptyDay(ms: number): ChartDay {
  return { day: new Date(ms).toISOString().slice(0, 10), fresh: 0, cached: 0, failed: 0 }
}

/** All requests of a day. */
export function requestCount({ fresh, cached, failed }: ChartDay): number {
  return fresh + cached + failed
}

export function totalsOf(days: readonly ChartDay[]): ChartTotals {
  const totals: ChartTotals = { responses: 0, cached: 0, failed: 0, busiest: null }
  for (const day of days) {
    totals.responses += day.fresh + day.cached
    totals.cached += day.cached
    totals.failed += day.failed
    if (requestCount(day) > (totals.busiest === null ? 0 : requestCount(totals.busiest))) totals.busiest = day
  }
  return totals
}

/** A day with more requests than this many times those of any other day is an outlier. */
const OUTLIER_FACTOR = 4

/** The day whose column is cut, so that the others can be read; null when there is none. */
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
