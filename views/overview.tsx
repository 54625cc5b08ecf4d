import type { DailyUsage, MonthlyUsage } from '../src/core/usage/ports.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { Badge } from './ui/badge.tsx'
import { CHART_DAYS, chartDays, totalsOf } from './ui/chart-days.ts'
import { Detail } from './ui/detail.tsx'
import { FirstRequest } from './ui/code-examples.tsx'
import {
  isRotatable,
  type KeyItem,
  KeyLink,
  KeyName,
  keyPath,
  type RejectedKey,
  Rejections,
  Replaced,
  type SuccessorKey,
} from './ui/key-table.tsx'
import { MonthMeter } from './ui/month-meter.tsx'
import { countText, pluralized, percentText } from './ui/number.ts'
import { Upgrade, type UpgradeProps } from './ui/plan-table.tsx'
import { DateTime, RelativeTime } from './ui/time.tsx'
import { UsageChart } from './ui/usage-chart.tsx'
import { ButtonLink } from './ui/button-link.tsx'

export interface OverviewProps {
  frame: Frame
  month: MonthlyUsage
  /** The viewer's keys, newest first; the page shows the active keys, or the first steps if no key has been used. */
  keys: KeyItem[]
  /** The keys that count against the user's maximum: active keys that were not rotated. */
  activeKeys: number
  /** Keys that have ended, with requests that were rejected in the last days; at most `SHOWN_REJECTED`. */
  rejectedKeys: readonly ReplaceableKey[]
  /** All keys together over the last `CHART_DAYS` days. Days may be missing, or appear once per key. */
  days: DailyUsage[]
  upgradeUrl: UpgradeProps['url']
}

/** A key with its successor; null if it was not rotated, or if its successor was deleted. */
type ReplaceableKey = RejectedKey & { successor: SuccessorKey | null }

/** The latest keys with rejected requests that are shown. */
export const SHOWN_REJECTED = 3

/** Shows the first steps until a key has been used. */
export function OverviewPage({ frame, month, keys, activeKeys, rejectedKeys, days, upgradeUrl }: OverviewProps) {
  const active = keys.filter(({ ended }) => ended === null)
  const expiring = active.filter(({ expiresSoon }) => expiresSoon)
  const chart = chartDays(days, CHART_DAYS, frame.nowMs)
  const { responses, cached, failed } = totalsOf(chart)
  const isUnused = keys.every(({ lastUsedAtMs }) => lastUsedAtMs === null)
  return (
    <Shell frame={frame} title="Overview" description="This month's usage, your API keys and the last 30 days.">
      <h1>Overview</h1>
      {rejectedKeys.length > 0 && <RejectedKeys keys={rejectedKeys} nowMs={frame.nowMs} />}
      {expiring.length > 0 && <ExpiringKeys keys={expiring} />}
      {isUnused && <FirstSteps frame={frame} hasKey={active.length > 0} month={month} upgradeUrl={upgradeUrl} />}
      <div class="columns">
        <Section id="month" title="This month" class="panel">
          <MonthMeter month={month} />
          <dl class="stats">
            <Detail name="Today" text={countText(totalsOf(chart.slice(-1)).responses)} />
            <Detail name="30 days" text={countText(responses)} />
            <Detail name="From cache" text={percentText(cached, responses)} />
            <Detail name="Failed" text={countText(failed)} />
          </dl>
          {failed > 0 && (
            <p>
              <a href="/usage/requests?result=failed">View failed requests</a>
            </p>
          )}
        </Section>
        <Section id="keys" title="Keys" class="panel">
          <KeySummary frame={frame} keys={active} activeKeys={activeKeys} month={month} />
        </Section>
      </div>
      <section class="panel" aria-labelledby="days">
        <div class="panel-head">
          <h2 id="days">
            Last 30 days <span class="muted">All keys and playground</span>
          </h2>
          <a href="/usage">View usage</a>
        </div>
        <UsageChart
          days={chart}
          empty="No requests yet. Requests per day appear here: fetched, from cache and failed."
        />
      </section>
    </Shell>
  )
}

function RejectedKeys({ keys, nowMs }: { keys: readonly ReplaceableKey[]; nowMs: number }) {
  return (
    <ul class="callout bad">
      {keys.map((key) => (
        <li>
          <KeyLink item={key} /> <Rejections item={key} nowMs={nowMs} />{' '}
          {key.successor !== null && <Replaced by={key.successor} />}
          {isRotatable(key) && <a href={keyPath(key.id)}>Rotate</a>}
        </li>
      ))}
    </ul>
  )
}

function ExpiringKeys({ keys }: { keys: readonly KeyItem[] }) {
  return (
    <ul class="callout warn">
      {keys.map((key) => (
        <li>
          <KeyLink item={key} /> expires on <DateTime ms={key.expiresAtMs! - 1} />. Rotate it before requests fail.
        </li>
      ))}
    </ul>
  )
}

function FirstSteps(props: Pick<OverviewProps, 'frame' | 'month' | 'upgradeUrl'> & { hasKey: boolean }) {
  const { frame, month, upgradeUrl, hasKey } = props
  const { perMinute, perMonth } = month.limits
  return (
    <Section id="first" title="First steps" class="panel first">
      <ol class="checklist">
        <li class={hasKey ? 'done' : undefined}>
          <p>
            {hasKey ? <strong>You have a key.</strong> : <strong>Create a key.</strong>}{' '}
            {hasKey
              ? 'It is only shown once. If you lost it, deactivate it and create a new one.'
              : 'It is only shown once, so store it safely.'}
          </p>
          {!hasKey && <ButtonLink kind="primary" href="/keys" text="Create key" />}
        </li>
        <li>
          <p>
            <strong>Make a request.</strong> Replace <code>$URLMETA_KEY</code> with your key.
          </p>
          <FirstRequest baseUrl={frame.baseUrl} apiKey={null} />
        </li>
        <li>
          <p>
            <strong>Or try the playground.</strong> The <a href="/playground">playground</a> needs no key and shows
            where each value came from.
          </p>
        </li>
      </ol>
      <p>
        Your plan: <strong safe>{month.planLabel}</strong>
        <span safe>{`, ${countText(perMinute)} requests per minute and key, ${countText(perMonth)} per month.`}</span>
      </p>
      <p>
        <Upgrade url={upgradeUrl} viewer={frame.viewer} />
      </p>
    </Section>
  )
}

/** Keys shown before "and more". */
const SHOWN_KEYS = 4

function KeySummary(props: Omit<OverviewProps, 'days' | 'upgradeUrl' | 'rejectedKeys'>) {
  const { frame, keys, activeKeys, month } = props
  return (
    <>
      <p>
        <strong safe>{countText(activeKeys)}</strong>{' '}
        <span class="muted" safe>{`of ${pluralized(month.limits.maxKeys, 'active key')}`}</span>
      </p>
      {keys.length === 0 && <p class="muted">Use one key per app, so you can revoke them separately.</p>}
      <ul class="rows key-rows">
        {keys.slice(0, SHOWN_KEYS).map((key) => (
          <li>
            <KeyName name={key.name} href={keyPath(key.id)} />
            <code safe>{`…${key.lastFour}`}</code>
            {key.replacedById !== null && <Badge tone="accent" text="Replaced" />}
            {key.expiresSoon && <Badge tone="warn" text="Expires soon" />}
            <span class="muted end">
              {key.lastUsedAtMs === null ? 'never used' : <RelativeTime ms={key.lastUsedAtMs} nowMs={frame.nowMs} />}
            </span>
          </li>
        ))}
      </ul>
      <p>
        <a href="/keys">{keys.length > SHOWN_KEYS ? 'All keys' : 'Manage keys'}</a>
      </p>
    </>
  )
}
