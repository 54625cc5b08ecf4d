import { escapeHtml } from '@kitajs/html'

import type { Plan, PlanName } from '../src/core/plan.ts'
import type { DailyUsage, MonthlyUsage } from '../src/core/usage/ports.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { chartDays, DAY_MS, totalsOf } from './ui/chart-days.ts'
import { Stat } from './ui/stat.tsx'
import { MonthMeter } from './ui/month-meter.tsx'
import { countText, percentText } from './ui/number.ts'
import { PlanTable, Upgrade } from './ui/plan-table.tsx'
import { UsageChart, UsageTable } from './ui/usage-chart.tsx'

export interface UsageProps {
  frame: Frame
  month: MonthlyUsage
  /** Length of the chart, which ends today. */
  period: (typeof PERIODS)[number]
  /** The viewer's keys for the filter, including deactivated ones. */
  keys: { id: string; name: string; lastFour: string }[]
  /** The key that `days` is filtered by, or `PLAYGROUND_FILTER`; null for all keys and the playground. */
  keyId: string | null
  /**
   * Of the period and the one before. Days without requests may be missing; a day may appear once per key. Other days are
   * ignored.
   */
  days: DailyUsage[]
  /** Every plan as configured, smallest first. */
  plans: Plan[]
  plan: PlanName
  /** The target of the upgrade link; null shows "ask the operator" instead. */
  upgradeUrl: string | null
}

/** The lengths of the chart in days. */
export const PERIODS = [7, 30, 90] as const

/** The value of the filter for requests of the playground. */
export const PLAYGROUND_FILTER = 'playground'

/** This month's usage against its limit, requests per day, and the plans. */
export function UsagePage(props: UsageProps) {
  const { frame, month, days, period, plans, plan, upgradeUrl } = props
  const chart = chartDays(days, period, frame.nowMs)
  const { responses, cached, failed } = totalsOf(chart)
  const before = totalsOf(chartDays(days, period, frame.nowMs - period * DAY_MS))
  return (
    <Shell frame={frame} title="Usage" description="This month's usage, requests per day and the plans.">
      <div class="panel-head">
        <h1>Usage</h1>
        <a class="button small" href="/usage/requests">
          View requests
        </a>
      </div>
      <Section id="month" title="This month" class="panel">
        <MonthMeter month={month} />
      </Section>
      <section class="panel" aria-labelledby="days">
        <div class="panel-head">
          <h2 id="days">Requests per day</h2>
          <ChartFilter {...props} />
        </div>
        <dl class="stats">
          <Stat label="Successful" value={countText(responses)} />
          <Stat label="From cache" value={percentText(cached, responses)} />
          <Stat label="Failed" value={countText(failed)} />
        </dl>
        <p class="hint" safe>
          {`The ${period} days before: ${countText(before.responses)} successful${changeText(responses, before.responses)}, ${percentText(before.cached, before.responses)} from cache, ${countText(before.failed)} failed.`}
        </p>
        {responses + failed > 0 ? (
          <>
            <UsageChart days={chart} />
            <UsageTable days={chart} />
          </>
        ) : (
          <p class="empty" safe>
            {`No requests in the last ${period} days. Only successful requests count against the monthly limit.`}
          </p>
        )}
      </section>
      <Section id="plans" title="Plans">
        <PlanTable plans={plans} current={plan} />
        <p>
          <Upgrade url={upgradeUrl} viewer={frame.viewer} />
        </p>
      </Section>
    </Shell>
  )
}

/** How much more or less it is now: ` (now +12%)`; '' without a number to compare with. */
function changeText(now: number, before: number): string {
  if (before === 0) return ''
  const change = Math.round((now / before - 1) * 100)
  return ` (now ${change < 0 ? '−' : '+'}${countText(Math.abs(change))}%)`
}

/** Links to select the period, so that each view has a URL, and a select for the key. */
function ChartFilter({ period, keys, keyId }: UsageProps) {
  const query = (days: number) => `/usage?days=${days}${keyId === null ? '' : `&key=${encodeURIComponent(keyId)}`}`
  return (
    <div class="filter">
      <ul class="tabs" aria-label="Period">
        {PERIODS.map((days) => (
          <li>
            <a href={escapeHtml(query(days))} aria-current={days === period ? 'true' : undefined} safe>
              {`${days} days`}
            </a>
          </li>
        ))}
      </ul>
      {keys.length > 0 && (
        <form action="/usage" class="inline" data-submit-on-change>
          <input type="hidden" name="days" value={String(period)} />
          <label for="key" class="visually-hidden">
            Key
          </label>
          <select id="key" name="key">
            <option value="">All keys and playground</option>
            <option value={PLAYGROUND_FILTER} selected={keyId === PLAYGROUND_FILTER}>
              Playground
            </option>
            {keys.map((key) => (
              <option value={escapeHtml(key.id)} selected={key.id === keyId} safe>
                {`${key.name} …${key.lastFour}`}
              </option>
            ))}
          </select>
          <button class="button small">Show</button>
        </form>
      )}
    </div>
  )
}
