import { Html } from '@elysiajs/html'

import { count, percent, percentText } from './number.ts'
import { dateText } from './time.tsx'

/** A user's calendar month (UTC) against what the plan allows. */
export interface MonthUse {
  used: number
  limit: number
  /** The plan as people read it: `Free`. */
  planLabel: string
  /** First instant of the next month: `2026-12-01T00:00:00Z`. */
  resetsAt: string
}

/** From this part of the limit on, in percent, the meter warns. */
const NEARLY_FULL = 80

/** How much of the month is used, as a bar and in words. */
export function MonthMeter({ month }: { month: MonthUse }) {
  const { used, limit, planLabel, resetsAt } = month
  const part = percent(used, limit)
  const level = used >= limit ? 'full' : part >= NEARLY_FULL ? 'high' : 'fine'
  return (
    <div class="meter">
      <p class="meter-head">
        <span>
          <strong safe>{count(used)}</strong> <span class="muted" safe>{`of ${count(limit)} requests`}</span>
        </span>
        <span class="muted" safe>
          {percentText(used, limit)}
        </span>
      </p>
      <svg class={`meter-bar ${level}`} width="100%" height="8" aria-hidden="true">
        <rect width="100%" height="8" rx="4" />
        <rect class="part" width={`${part.toFixed(2)}%`} height="8" rx="4" />
      </svg>
      <p class="muted" safe>
        {`${planLabel} plan · starts again on ${dateText(Date.parse(resetsAt))} (UTC)`}
      </p>
      {level !== 'fine' && (
        <p class={level === 'full' ? 'error' : 'warning'}>
          {level === 'full'
            ? 'The month is used up: requests get 429 until it starts again or the plan changes.'
            : 'Most of the month is used. At the limit, requests get 429.'}{' '}
          <a href="/usage#plans">See the plans</a>
        </p>
      )}
    </div>
  )
}
