import { Html } from '@elysiajs/html'

import { axisTop, type ChartDay, heightOf, totalsOf } from './chart-days.ts'
import { count, counted } from './number.ts'
import { dayText } from './time.tsx'

/** Height of the drawing in its own units; its width is one unit a day, stretched to the page. */
const HEIGHT = 100

/** Part of a day's width that its column takes. */
const COLUMN = 0.72

const SERIES = [
  { name: 'fresh', label: 'Fetched answers' },
  { name: 'cached', label: 'Answers from cache' },
  { name: 'failed', label: 'Failures' },
] as const

/** Requests by day as stacked columns; what it shows in colours stands in words in its label and in `UsageTable`. */
export function UsageChart({ days }: { days: readonly ChartDay[] }) {
  const top = axisTop(Math.max(0, ...days.map(heightOf)))
  const middle = days[Math.floor(days.length / 2)]
  return (
    <div class="chart">
      <ul class="legend">
        {SERIES.map(({ name, label }) => (
          <li class={name}>{label}</li>
        ))}
      </ul>
      <div class="plot">
        <p class="axis-y" aria-hidden="true">
          <span safe>{count(top)}</span>
          <span safe>{count(top / 2)}</span>
          <span>0</span>
        </p>
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary(days)}>
          <path class="grid" d={`M0 .2h${days.length}M0 ${HEIGHT / 2}h${days.length}`} />
          {SERIES.map(({ name }, index) => (
            <path class={name} d={columns(days, index, top)} />
          ))}
          {days.map((day, index) => (
            <rect class="day" x={String(index)} width="1" height={String(HEIGHT)}>
              <title safe>{describe(day)}</title>
            </rect>
          ))}
        </svg>
        <p class="axis-x" aria-hidden="true">
          <span safe>{dayText(days[0]!.day)}</span>
          <span safe>{dayText(middle!.day)}</span>
          <span safe>{dayText(days.at(-1)!.day)}</span>
        </p>
      </div>
    </div>
  )
}

/** One path for all columns of a series: an element for each would make the page three times as long. */
function columns(days: readonly ChartDay[], series: number, top: number): string {
  const scale = HEIGHT / top
  return days
    .map((day, index) => {
      const height = day[SERIES[series]!.name] * scale
      if (height === 0) return ''
      const below = SERIES.slice(0, series).reduce((sum, { name }) => sum + day[name], 0) * scale
      const left = index + (1 - COLUMN) / 2
      return `M${short(left)} ${short(HEIGHT - below)}v-${short(height)}h${COLUMN}v${short(height)}z`
    })
    .join('')
}

function short(value: number): string {
  return String(Number(value.toFixed(2)))
}

function describe(day: ChartDay): string {
  const answers = day.fresh + day.cached
  const failures = day.failed === 0 ? '' : `, ${counted(day.failed, 'failure')}`
  const cached = day.cached === 0 ? '' : ` (${count(day.cached)} from cache)`
  return `${dayText(day.day)}: ${counted(answers, 'answer')}${cached}${failures}`
}

function summary(days: readonly ChartDay[]): string {
  const { answers, cached, failed, busiest } = totalsOf(days)
  const span = `Requests by day, ${dayText(days[0]!.day)} to ${dayText(days.at(-1)!.day)}`
  const most = busiest === null ? '' : ` Most on ${dayText(busiest.day)}: ${count(heightOf(busiest))}.`
  return `${span}: ${counted(answers, 'answer')}, ${count(cached)} of them from cache, ${counted(failed, 'failure')}.${most}`
}

/** The chart's numbers, newest day first. */
export function UsageTable({ days }: { days: readonly ChartDay[] }) {
  const busy = days.filter((day) => heightOf(day) > 0).toReversed()
  const { answers, cached, failed } = totalsOf(days)
  return (
    <details class="numbers">
      <summary>Numbers by day</summary>
      <table class="plain">
        <caption class="unseen">Requests by day; days without any are left out</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Answers</th>
            <th scope="col">From cache</th>
            <th scope="col">Failures</th>
          </tr>
        </thead>
        <tbody>
          {busy.map((day) => (
            <tr>
              <th scope="row" safe>
                {dayText(day.day)}
              </th>
              <td safe>{count(day.fresh + day.cached)}</td>
              <td safe>{count(day.cached)}</td>
              <td safe>{count(day.failed)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Together</th>
            <td safe>{count(answers)}</td>
            <td safe>{count(cached)}</td>
            <td safe>{count(failed)}</td>
          </tr>
        </tfoot>
      </table>
    </details>
  )
}
