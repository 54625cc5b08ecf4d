import { escapeHtml } from '@kitajs/html'

import { axisTop, type ChartDay, outlierOf, requestCount, totalsOf, unitOf } from './chart-days.ts'
import { Hint, Text } from './text.tsx'
import { countText, pluralized } from './number.ts'
import { dayText, timeText } from './time.tsx'
import { RowHead, Table } from './table.tsx'

/** Height in SVG units. The width is one unit per column, stretched to the page. */
const HEIGHT = 100

/** The width of a column as a fraction of its unit. */
const COLUMN = 0.72

/** The number of labels below a chart with more than `MAX_LABELED` columns. */
const LABELS = 6

/** Up to this number of columns, each column has a label. */
const MAX_LABELED = 12

const SERIES = [
  { name: 'fresh', label: 'Fetched' },
  { name: 'cached', label: 'From cache' },
  { name: 'failed', label: 'Failed' },
] as const

export interface UsageChartProps {
  days: readonly ChartDay[]
  /** The URL that the column of a day or an hour links to, or null. */
  href?: (time: string) => string | null
  /** Shown if there are no requests. */
  empty: string
  /** Whether the numbers are also shown as a table. */
  hasTable?: boolean
}

/**
 * Requests as stacked columns. The numbers of the last column are below the chart; the script replaces them with the
 * numbers of the selected column. The label and `UsageTable` hold the same numbers as text.
 */
export function UsageChart({ days, href = () => null, empty, hasTable = false }: UsageChartProps) {
  if (days.every((day) => requestCount(day) === 0)) return <p class="empty">{escapeHtml(empty)}</p>
  return (
    <>
      <Chart days={days} href={href} />
      {hasTable && <UsageTable days={days} />}
    </>
  )
}

function Chart({ days, href }: Required<Pick<UsageChartProps, 'days' | 'href'>>) {
  const outlier = outlierOf(days)
  const top = axisTop(Math.max(0, ...days.filter((day) => day !== outlier).map(requestCount)))
  const summary = summaryOf(days)
  const areas = days.map((day, x) => ({ day, x, url: requestCount(day) > 0 ? href(day.day) : null }))
  const [linked, others] = [areas.filter(({ url }) => url !== null), areas.filter(({ url }) => url === null)]
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
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="group" aria-label={summary}>
          <path class="grid" d={`M0 .2h${days.length}M0 ${HEIGHT / 2}h${days.length}`} />
          {SERIES.map(({ name }, index) => (
            <path class={name} d={columns(days, index, top)} />
          ))}
          {outlier !== null && <path class="cut" d={`M${days.indexOf(outlier)} 16l.5-4l.5 4`} />}
          <g aria-hidden="true">
            {others.map(({ day, x }) => (
              <Area day={day} x={x} />
            ))}
          </g>
          {linked.map(({ day, x, url }) => (
            <a href={escapeHtml(url!)}>
              <Area day={day} x={x} role="img" />
            </a>
          ))}
        </svg>
        <p class={days.length > MAX_LABELED ? 'axis-x' : 'axis-x each'} aria-hidden="true">
          {labelsOf(days).map((text) => (
            <span safe>{text}</span>
          ))}
        </p>
      </div>
      {outlier !== null && (
        <Hint
          text={`The column of ${timeText(outlier.day)} is cut: ${pluralized(requestCount(outlier), 'request')}.`}
        />
      )}
      <Text class="value" text={describe(days.at(-1)!)} />
    </div>
  )
}

/** The area in which the pointer selects a column. */
function Area({ day, x, role }: { day: ChartDay; x: number; role?: 'img' }) {
  return (
    <rect class="day" x={String(x)} width="1" height={String(HEIGHT)} role={role}>
      <title safe>{describe(day)}</title>
    </rect>
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

/**
 * Days at even distances, with the month when it changes: `22 Oct`, `28`, `3 Nov`; hours: `14:00`; months: `Nov`, for
 * every second column.
 */
function labelsOf(days: readonly ChartDay[]): string[] {
  const count = days.length > MAX_LABELED ? LABELS : days.length
  const shown = Array.from({ length: count }, (_, index) => {
    return days[Math.round((index * (days.length - 1)) / Math.max(1, count - 1))]!.day
  })
  return shown.map((day, index) => {
    if (day.length === 13) return `${day.slice(11)}:00`
    if (day.length === 7) return (count - index) % 2 === 0 ? '' : timeText(day).slice(0, 3)
    const isSameMonth = shown[index - 1]?.slice(0, 7) === day.slice(0, 7)
    return isSameMonth ? String(Number(day.slice(8))) : dayText(day)
  })
}

const short = (value: number): string => String(Number(value.toFixed(2)))

function describe(day: ChartDay): string {
  const responses = day.fresh + day.cached
  const failures = day.failed === 0 ? '' : `, ${countText(day.failed)} failed`
  const cached = day.cached === 0 ? '' : ` (${countText(day.cached)} from cache)`
  return `${timeText(day.day)}: ${pluralized(responses, 'successful request')}${cached}${failures}`
}

function summaryOf(days: readonly ChartDay[]): string {
  const { responses, cached, failed, busiest } = totalsOf(days)
  const span = `Requests per ${unitOf(days)}, ${timeText(days[0]!.day)} to ${timeText(days.at(-1)!.day)}`
  const most = busiest === null ? '' : ` Most: ${timeText(busiest.day)}, ${countText(requestCount(busiest))}.`
  return `${span}: ${pluralized(responses, 'successful request')}, ${countText(cached)} from cache, ${countText(failed)} failed.${most}`
}

/** The chart's numbers, newest first. */
export function UsageTable({ days }: { days: readonly ChartDay[] }) {
  const active = days.filter((day) => requestCount(day) > 0).toReversed()
  const unit = unitOf(days)
  return (
    <details class="numbers">
      <summary>View as table</summary>
      <Table
        class="plain"
        caption={`Requests per ${unit}; ${unit}s without requests are omitted`}
        columns={[`${unit[0]!.toUpperCase()}${unit.slice(1)} (UTC)`, 'Successful', 'From cache', 'Failed']}
        foot={<UsageRow name="Total" days={days} />}
      >
        {active.map((day) => (
          <UsageRow name={timeText(day.day)} days={[day]} />
        ))}
      </Table>
    </details>
  )
}

function UsageRow({ name, days }: { name: string; days: readonly ChartDay[] }) {
  const { responses, cached, failed } = totalsOf(days)
  return (
    <tr>
      <RowHead text={name} />
      <td safe>{countText(responses)}</td>
      <td safe>{countText(cached)}</td>
      <td safe>{countText(failed)}</td>
    </tr>
  )
}
