import type { MonthlyUsage } from '../../src/core/usage/ports.ts'
import { countText, percent, percentText } from './number.ts'
import { InlineText, Text } from './text.tsx'
import { dateText } from './time.tsx'

/** From this percentage of the limit on, the meter shows a warning. */
const NEARLY_FULL = 80

/** A bar of which `part` percent are filled. */
export function MeterBar({ part, level }: { part: number; level: 'fine' | 'high' | 'full' }) {
  return (
    <svg class={`meter-bar ${level}`} width="100%" height="8" aria-hidden="true">
      <rect width="100%" height="8" rx="4" />
      <rect class="part" width={`${part.toFixed(2)}%`} height="8" rx="4" />
    </svg>
  )
}

export function MonthMeter({ month }: { month: MonthlyUsage }) {
  const { used, planLabel, resetsAt } = month
  const limit = month.limits.perMonth
  const part = percent(used, limit)
  const level = used >= limit ? 'full' : part >= NEARLY_FULL ? 'high' : 'fine'
  return (
    <div class="meter">
      <p class="meter-head">
        <span>
          <strong safe>{countText(used)}</strong> <InlineText class="muted" text={`of ${countText(limit)} requests`} />
        </span>
        <InlineText class="muted" text={percentText(used, limit)} />
      </p>
      <MeterBar part={part} level={level} />
      <Text class="muted" text={`Plan: ${planLabel} · resets on ${dateText(Date.parse(resetsAt))} (UTC)`} />
      {level !== 'fine' && (
        <p class={level === 'full' ? 'error' : 'warning'}>
          {level === 'full'
            ? 'Monthly limit reached. Further requests are rejected (HTTP 429) until the limit resets or you upgrade.'
            : 'You are close to your monthly limit. At the limit, further requests are rejected (HTTP 429).'}{' '}
          <a href="/usage#plans">Compare plans</a>
        </p>
      )}
    </div>
  )
}
