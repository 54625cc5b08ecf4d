import { axisTop, type ChartDay, outlierOf, requestCount, totalsOf } from './chart-days.ts'
import { countText, pluralized } from './number.ts'
import { dayText } from './time.tsx'
import { Table } from './table.tsx'

/** Height in SVG units. The width is one unit per day, stretched to the page. */
const HEIGHT = 100

/** The width of a column as a fraction of a day. */
const COLUMN = 0.72

/** Labels of the x axis, and the most days that are all labeled. */
const LABELS = 6
const MAX_ALL_LABELED = 7

const SERIES = [
  { name: 'fresh', label: 'Fetched' },
  { name: 'cached', label: 'From cache' },
  { name: 'failed', label: 'Failed' },
] as const

/**
 * Requests per day as stacked columns. Below it are the numbers of the last day; the script replaces them with numbers
 * of the selected day. The label and `UsageTable` hold the same numbers as text.
 */
export function UsageChart({ days }: { days: readonly ChartDay[] }) {
  const outlier = outlierOf(days)
  const top = axisTop(Math.max(0, ...days.filter((day) => day !== outlier).map(requestCount)))
  return (
    <div class="chart">
      <ul class="legend">
        {SERIES.map(({ name, label }) => (
          <li class={name}>{label}</li>
        ))}
      </ul>
      <div class="plot">
        <p class="axis-y" aria-hidden="true">
          <span safe>{countText(top)}</span>
          <span safe>{countText(top / 2)}</span>
          <span>0</span>
        </p>
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary(days)}>
          <path class="grid" d={`M0 .2h${days.length}M0 ${HEIGHT / 2}h${days.length}`} />
          {SERIES.map(({ name }, index) => (
            <path class={name} d={columns(days, index, top)} />
          ))}
          {outlier !== null && <path class="cut" d={`M${days.indexOf(outlier)} 16l.5-4l.5 4`} />}
          {days.map((day, index) => (
            <rect class="day" x={String(index)} width="1" height={String(HEIGHT)}>
              <title safe>{describe(day)}</title>
            </rect>
          ))}
        </svg>
        <p class={days.length > MAX_ALL_LABELED ? 'axis-x' : 'axis-x each'} aria-hidden="true">
          {labelsOf(days).map((label) => (
            <span safe>{label}</span>
          ))}
        </p>
      </div>
      {outlier !== null && (
        <p class="hint" safe>
          {`The column of ${dayText(outlier.day)} is cut: ${pluralized(requestCount(outlier), 'request')}.`}
        </p>
      )}
      <p class="value" safe>
        {describe(days.at(-1)!)}
      </p>
    </div>
  )
}

/** One path for all columns of a series: one element per column would triple the page's size. */
function columns(days: readonly ChartDay[], series: number, top: number): string {
  return days
    .map((day, index) => {
      // The column of an outlier has the full height, with its parts in proportion.
      const scale = HEIGHT / Math.max(top, requestCount(day))
      const height = day[SERIES[series]!.name] * scale
      if (height === 0) return ''
      const below = SERIES.slice(0, series).reduce((sum, { name }) => sum + day[name], 0) * scale
      const left = index + (1 - COLUMN) / 2
      return `M${short(left)} ${short(HEIGHT - below)}v-${short(height)}h${COLUMN}v${short(height)}z`
    })
    .join('')
}

/** Days at even distances, with the month when it is another one than before: `22 Oct`, `28`, `3 Nov`. */
function labelsOf(days: readonly ChartDay[]): string[] {
  const count = days.length > MAX_ALL_LABELED ? LABELS : days.length
  const shown = Array.from({ length: count }, (_, index) => {
    return days[Math.round((index * (days.length - 1)) / Math.max(1, count - 1))]!.day
  })
  return shown.map((day, index) => {
    const isSameMonth = shown[index - 1]?.slice(0, 7) === day.slice(0, 7)
    return isSameMonth ? String(Number(day.slice(8))) : dayText(day)
  })
}

function short(value: number): string {
  return String(Number(value.toFixed(2)))
}

function describe(day: ChartDay): string {
  const responses = day.fresh + day.cached
  const failures = day.failed === 0 ? '' : `, ${countText(day.failed)} failed`
  const cached = day.cached === 0 ? '' : ` (${countText(day.cached)} from cache)`
  return `${dayText(day.day)}: ${pluralized(responses, 'successful request')}${cached}${failures}`
}

function summary(days: readonly ChartDay[]): string {
  const { responses, cached, failed, busiest } = totalsOf(days)
  const span = `Requests per day, ${dayText(days[0]!.day)} to ${dayText(days.at(-1)!.day)}`
  const most = busiest === null ? '' : ` Most on ${dayText(busiest.day)}: ${countText(requestCount(busiest))}.`
  return `${span}: ${pluralized(responses, 'successful request')}, ${countText(cached)} from cache, ${countText(failed)} failed.${most}`
}

/** The chart's numbers, newest day first. */
export function UsageTable({ days }: { days: readonly ChartDay[] }) {
  const active = days.filter((day) => requestCount(day) > 0).toReversed()
  const { responses, cached, failed } = totalsOf(days)
  return (
    <details class="numbers">
      <summary>View as table</summary>
      <Table
        class="plain"
        caption="Requests per day; days without requests are omitted"
        columns={['Day', 'Successful', 'From cache', 'Failed']}
        foot={
          <tr>
            <th scope="row">Total</th>
            <td safe>{countText(responses)}</td>
            <td safe>{countText(cached)}</td>
            <td safe>{countText(failed)}</td>
          </tr>
        }
      >
        {active.map((day) => (
          <tr>
            <th scope="row" safe>
              {dayText(day.day)}
            </th>
            <td safe>{countText(day.fresh + day.cached)}</td>
            <td safe>{countText(day.cached)}</td>
            <td safe>{countText(day.failed)}</td>
          </tr>
        ))}
      </Table>
    </details>
  )
}
