import type { ChromiumStatus, Load } from '../../src/core/fetch/runtime-status.ts'
import type { DailyUsage } from '../../src/core/usage/ports.ts'
import { type Frame, Section } from '../shell.tsx'
import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { CHART_DAYS, chartDays } from '../ui/chart-days.ts'
import { FailingHosts, FailureReasons, type HostFailures, type ReasonCount } from '../ui/failures.tsx'
import { MeterBar } from '../ui/month-meter.tsx'
import { decimalBytesText, countText, pluralized, percent, percentText } from '../ui/number.ts'
import { Hint, InlineText } from '../ui/text.tsx'
import { UsageChart } from '../ui/usage-chart.tsx'
import { RelativeTime, Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'

export interface AdminHealthProps {
  frame: Frame
  startedAtMs: number
  fetches: Load
  chromium: ChromiumStatus
  /** `entries` is null when they cannot be counted. */
  cache: { entries: number | null; maxEntries: number }
  /**
   * The kind of database, its path or its URL without password, and the program that backs it up, which is null if
   * urlmeta does.
   */
  database: { kind: string; place: string; backupProgram: string | null }
  /** Backups by the server; null when none are scheduled. */
  backup: { last: { atMs: number; bytes: number } | null; nextAtMs: number; error: string | null } | null
  /** Null without Redis. */
  redis: { isUp: true } | { isUp: false; reason: string } | null
  /** All users together over the last `CHART_DAYS` days. */
  days: DailyUsage[]
  /** The last 24 hours. */
  day: { responses: number; cacheHits: number; failures: number }
  /** In the last 24 hours, in any order: `timeout`, `host_not_found` … */
  failuresByReason: readonly ReasonCount[]
  /** Hosts with recent failures, latest first. */
  failingHosts: readonly HostFailures[]
}

const CHROMIUM: Record<
  ChromiumStatus['state'],
  readonly [label: string, tone: NonNullable<BadgeProps['tone']>, advice: string]
> = {
  off: ['Off', '', 'Disabled by URLMETA_CHROMIUM. Pages that need JavaScript are read from their plain HTML.'],
  missing: ['Not found', 'bad', 'Install Chromium, or set URLMETA_CHROMIUM to its path.'],
  ready: ['Ready', 'good', 'Started when a page needs it.'],
  running: ['Running', 'good', ''],
  failed: ['Failed', 'bad', 'It did not start. See the log for the reason.'],
}

export function AdminHealthPage(props: AdminHealthProps) {
  const { frame, startedAtMs, fetches, chromium, cache, database, redis, day } = props
  const [label, tone, advice] = CHROMIUM[chromium.state]
  return (
    <AdminShell frame={frame} title="Health">
      <h1>Health</h1>
      <p class="muted">
        Version <span safe>{frame.version}</span>, started <RelativeTime ms={startedAtMs} nowMs={frame.nowMs} />
      </p>
      <div class="columns">
        <Section id="fetches" title="Fetches" class="panel">
          <LoadMeter load={fetches} what="fetches" />
        </Section>
        <Section id="chromium" title="Chromium" class="panel">
          <p>
            <Badge tone={tone} text={label} /> <InlineText class="muted" text={chromium.detail} />
          </p>
          {chromium.state === 'running' && <LoadMeter load={chromium} what="pages" />}
          <Hint text={advice} />
        </Section>
        <Section id="cache" title="Cache" class="panel">
          <p>
            <strong safe>{percentText(day.cacheHits, day.responses)}</strong>{' '}
            <span class="muted">of responses in the last 24 hours</span>
          </p>
          {cache.entries !== null && (
            <Hint text={`${pluralized(cache.entries, 'result')} of at most ${countText(cache.maxEntries)}`} />
          )}
        </Section>
        <Section id="database" title="Database" class="panel">
          <p>
            <strong safe>{database.kind}</strong>
          </p>
          <p class="hint">
            <code safe>{database.place}</code>
          </p>
        </Section>
        <Section id="backups" title="Backups" class="panel">
          {database.backupProgram === null ? (
            <Backups backup={props.backup} nowMs={frame.nowMs} />
          ) : (
            <Hint text={`${database.kind} is backed up with its own tools, such as ${database.backupProgram}.`} />
          )}
        </Section>
        {redis !== null && (
          <Section id="redis" title="Redis" class="panel">
            <p>
              <Badge tone={redis.isUp ? 'good' : 'bad'} text={redis.isUp ? 'Available' : 'Unavailable'} />{' '}
              {!redis.isUp && <InlineText class="muted" text={redis.reason} />}
            </p>
            {!redis.isUp && (
              <Hint text="Until it is available, each process counts requests per minute and caches results separately." />
            )}
          </Section>
        )}
        <Section id="day" title="Last 24 hours" class="panel">
          <p>
            <strong safe>{pluralized(day.responses, 'response')}</strong>{' '}
            <InlineText class="muted" text={`and ${pluralized(day.failures, 'failure')}`} />
          </p>
          <Hint text={`${percentText(day.failures, day.responses + day.failures)} of requests failed`} />
        </Section>
      </div>
      <Section id="days" title={`Requests per day, last ${CHART_DAYS} days`} class="panel">
        <UsageChart
          days={chartDays(props.days, CHART_DAYS, frame.nowMs)}
          empty="No requests yet. Requests per day of all users appear here."
          hasTable
        />
        <p class="hint">All users together, except for accounts that have since been deleted.</p>
      </Section>
      <Section id="reasons" title="Failures by reason, last 24 hours" class="panel">
        <FailureReasons failures={props.failuresByReason} />
      </Section>
      <Section id="hosts" title="Hosts with recent failures">
        <FailingHosts hosts={props.failingHosts} nowMs={frame.nowMs} />
      </Section>
    </AdminShell>
  )
}

function LoadMeter({ load, what }: { load: Load; what: string }) {
  return (
    <>
      <p>
        <strong safe>{countText(load.active)}</strong>{' '}
        <InlineText class="muted" text={`of ${countText(load.limit)} ${what}, ${countText(load.waiting)} waiting`} />
      </p>
      <MeterBar part={percent(load.active, load.limit)} level={load.waiting > 0 ? 'high' : 'fine'} />
    </>
  )
}

function Backups({ backup, nowMs }: Pick<AdminHealthProps, 'backup'> & { nowMs: number }) {
  if (backup === null) return <p class="hint">No backups are scheduled. Set URLMETA_BACKUP_DIR to enable them.</p>
  const { last, nextAtMs, error } = backup
  return (
    <>
      <p>
        {error !== null && <Badge tone="bad" text="Failed" />}{' '}
        <span class="muted">
          {last === null ? 'No backup yet' : 'Last backup '}
          {last !== null && <RelativeTime ms={last.atMs} nowMs={nowMs} />}
          {last !== null && <span safe>{`, ${decimalBytesText(last.bytes)}`}</span>}
        </span>
      </p>
      <p class="hint">
        {error !== null && <span safe>{`${error}. `}</span>}
        Next backup at <Timestamp ms={nextAtMs} />
      </p>
    </>
  )
}
