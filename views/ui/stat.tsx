import type { ChartTotals } from './chart-days.ts'
import { countText, percentText } from './number.ts'

/** One number in a `<dl class="stats">`. */
export function Stat({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt safe>{label}</dt>
      <dd safe>{value}</dd>
    </div>
  )
}

/** The numbers above a chart. */
export function ChartStats({ totals: { responses, cached, failed } }: { totals: ChartTotals }) {
  return (
    <dl class="stats">
      <Stat label="Successful" value={countText(responses)} />
      <Stat label="From cache" value={percentText(cached, responses)} />
      <Stat label="Failed" value={countText(failed)} />
    </dl>
  )
}
