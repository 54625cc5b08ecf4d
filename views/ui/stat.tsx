import type { ChartTotals } from './chart-days.ts'
import { Detail } from './detail.tsx'
import { countText, percentText } from './number.ts'

export function ChartStats({ totals: { responses, cached, failed } }: { totals: ChartTotals }) {
  return (
    <dl class="stats">
      <Detail name="Successful" text={countText(responses)} />
      <Detail name="From cache" text={percentText(cached, responses)} />
      <Detail name="Failed" text={countText(failed)} />
    </dl>
  )
}
