import { escapeHtml } from '@kitajs/html'

import type { Plan } from '../src/core/plan.ts'
import type { DailyUsage, MonthlyUsage } from '../src/core/usage/ports.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { timeLinks } from './requests/request-links.ts'
import { chartDays, type ChartTotals, totalsOf, unitsBefore } from './ui/chart-days.ts'
import { Select } from './ui/form.tsx'
import { Hint } from './ui/text.tsx'
import { ChartStats } from './ui/stat.tsx'
import { keyOptions, type NamedKey } from './ui/key-table.tsx'
import { MonthMeter } from './ui/month-meter.tsx'
import { countText, percentText } from './ui/number.ts'
import { PlanTable, Upgrade, type UpgradeProps } from './ui/plan-table.tsx'
import { UsageChart } from './ui/usage-chart.tsx'
import { ButtonLink } from './ui/button-link.tsx'

export interface UsageProps {
  frame: Frame
  month: MonthlyUsage
  /** The period of the chart, which ends now. */
  period: (typeof PERIODS)[number]
  /** The viewer's keys for the filter, including deactivated keys. */
  keys: readonly NamedKey[]
  /** The key that `days` is filtered by, or `PLAYGROUND_FILTER`; null for all keys and the playground. */
  keyId: string | null
  /**
   * Hours, days or months of this period and the previous one. Entries may be missing or repeated; times outside
   * these periods are ignored.
   */
  days: DailyUsage[]
  /** Whether `days` covers all of the previous period. */
  isCompared: boolean
  /** The UTC days of the request log. */
  loggedDays: readonly string[]
  plans: Plan[]
  upgradeUrl: UpgradeProps['url']
}

/** The periods of the chart by their parameter. */
export const PERIODS = [
  { days: 1, label: '24 hours', unit: 'hour', length: 24 },
  { days: 7, label: '7 days', unit: 'day', length: 7 },
  { days: 30, label: '30 days', unit: 'day', length: 30 },
  { days: 90, label: '90 days', unit: 'day', length: 90 },
  { days: 365, label: '12 months', unit: 'month', length: 12 },
] as const

/** The value of the filter for requests of the playground. */
export const PLAYGROUND_FILTER = 'playground'

export function UsagePage(props: UsageProps) {
  const { frame, month, days, period, keyId, plans, upgradeUrl } = props
  const { unit, length, label } = period
  const chart = chartDays(days, length, frame.nowMs, unit)
  const now = totalsOf(chart)
  const before = totalsOf(chartDays(days, length, unitsBefore(frame.nowMs, length, unit), unit))
  const hint = [comparisonText(props, now, before), unit === 'hour' ? FROM_LOG : ''].join(' ').trim()
  // Requests of the playground are not logged.
  const hrefOf = timeLinks(keyId, keyId === PLAYGROUND_FILTER ? [] : props.loggedDays)
  return (
    <Shell frame={frame} title="Usage" description="This month's usage, requests over time and the plans.">
      <div class="panel-head">
        <h1>Usage</h1>
        <ButtonLink kind="small" href="/usage/requests" text="View requests" />
      </div>
      <Section id="month" title="This month" class="panel">
        <MonthMeter month={month} />
      </Section>
      <section class="panel" aria-labelledby="days">
        <div class="panel-head">
          <h2 id="days" safe>
            {`Requests per ${unit}`}
          </h2>
          <ChartFilter {...props} />
        </div>
        <ChartStats totals={now} />
        <Hint text={hint} />
        <UsageChart
          days={chart}
          href={hrefOf}
          empty={`No requests in the last ${label}. Only successful requests count against the monthly limit.`}
          hasTable
        />
      </section>
      <Section id="plans" title="Plans">
        <PlanTable plans={plans} current={month.limits} />
        <p>
          <Upgrade url={upgradeUrl} viewer={frame.viewer} />
        </p>
      </Section>
    </Shell>
  )
}

const FROM_LOG =
  'Counted from the request log, by hour in UTC: the last 1,000 requests of each key. Rejected requests count as failed; playground requests are not included.'

/** Compares with the previous period. For months, only successful requests are stored. */
function comparisonText({ period, isCompared }: UsageProps, now: ChartTotals, before: ChartTotals): string {
  if (!isCompared) return ''
  const { unit, label } = period
  const counted = `The ${label} before: ${countText(before.responses)} successful${changeText(now.responses, before.responses)}`
  if (unit === 'month') return `${counted}.`
  return `${counted}, ${percentText(before.cached, before.responses)} from cache, ${countText(before.failed)} failed.`
}

/** The change in percent: ` (now +12%)`; '' if there is no number to compare with. */
function changeText(now: number, before: number): string {
  if (before === 0) return ''
  const change = Math.round((now / before - 1) * 100)
  return ` (now ${change < 0 ? '−' : '+'}${countText(Math.abs(change))}%)`
}

/** The periods are links, so that each view has a URL. */
function ChartFilter({ period, keys, keyId }: UsageProps) {
  const query = (days: number) => `/usage?days=${days}${keyId === null ? '' : `&key=${encodeURIComponent(keyId)}`}`
  return (
    <div class="filter">
      <ul class="tabs" aria-label="Period">
        {PERIODS.map((one) => (
          <li>
            <a href={escapeHtml(query(one.days))} aria-current={one === period ? 'true' : undefined}>
              {one.label}
            </a>
          </li>
        ))}
      </ul>
      {keys.length > 0 && (
        <form action="/usage" class="inline" data-submit-on-change autocomplete="off">
          <input type="hidden" name="days" value={String(period.days)} />
          <Select
            name="key"
            label="Key"
            value={keyId ?? ''}
            options={[['', 'All keys and playground'], [PLAYGROUND_FILTER, 'Playground'], ...keyOptions(keys)]}
          />
          <button class="button small">Show</button>
        </form>
      )}
    </div>
  )
}
