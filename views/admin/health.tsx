import type { ChromiumStatus, Load } from '../../src/core/fetch/runtime-status.ts'
import type { DailyUsage } from '../../src/core/usage/ports.ts'
import type { Latency } from '../../src/core/usage/request-log.ts'
import { type Frame, Section } from '../shell.tsx'
import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { CHART_DAYS, chartDays } from '../ui/chart-days.ts'
import { Detail } from '../ui/detail.tsx'
import { FailingHosts, FailureReasons, type HostFailures, type ReasonCount } from '../ui/failures.tsx'
import { PostForm } from '../ui/form.tsx'
import { countText, decimalBytesText, percentilesText, percentText } from '../ui/number.ts'
import { Hint, InlineText } from '../ui/text.tsx'
import { UsageChart } from '../ui/usage-chart.tsx'
import { clockText, RelativeTime, Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'

export interface AdminHealthProps {
  frame: Frame
  startedAtMs: number
  fetches: Load
  chromium: ChromiumStatus
  /** `entries` is null when they cannot be counted. */
  cache: { entries: number | null; maxEntries: number }
  /**
   * The kind of database, its path or its URL without password, the program that backs it up, which is null if urlmeta
   * does, and its size, which is null if it cannot be read.
   */
  database: { kind: string; place: string; backupProgram: string | null; bytes: number | null }
  /** Backups by the server; null when none are scheduled. */
  backup: {
    last: { atMs: number; bytes: number } | null
    nextAtMs: number
    error: string | null
    isRunning: boolean
  } | null
  /** The free space of the disk of the data directory, as `urlmeta doctor` reports it. */
  disk: { status: keyof typeof DISK; detail: string; remedy?: string }
  /** Of this process, and of the machine or the container. */
  memory: { bytes: number; totalBytes: number }
  /** Null without Redis. */
  redis: { isUp: true } | { isUp: false; reason: string } | null
  /** All users together over the last `CHART_DAYS` days. */
  days: DailyUsage[]
  /** Whether this process has run for 24 hours; otherwise the numbers below are those since its start. */
  isWholeDay: boolean
  /** The last 24 hours. */
  day: { responses: number; cacheHits: number; failures: number; fetched: Latency; cached: Latency }
  /** In the last 24 hours, in any order: `timeout`, `host_not_found` … */
  failuresByReason: readonly ReasonCount[]
  /** Hosts with recent failures, latest first. */
  failingHosts: readonly HostFailures[]
}

type Tone = NonNullable<BadgeProps['tone']>

const CHROMIUM: Record<ChromiumStatus['state'], readonly [label: string, tone: Tone, advice: string]> = {
  off: ['Off', '', 'Disabled by URLMETA_CHROMIUM. Pages that need JavaScript are read from their plain HTML.'],
  missing: ['Not found', 'bad', 'Install Chromium, or set URLMETA_CHROMIUM to its path.'],
  ready: ['Ready', 'good', 'Started when a page needs it.'],
  running: ['Running', 'good', ''],
  failed: ['Failed', 'bad', 'It did not start. See the log for the reason.'],
}

const DISK = { ok: ['OK', 'good'], skipped: ['', ''], warning: ['Low', 'warn'], failed: ['Failed', 'bad'] } as const

export function AdminHealthPage(props: AdminHealthProps) {
  const entries = props.cache.entries === null ? '–' : countText(props.cache.entries)
  const { frame, fetches, chromium, cache, database, disk, memory, redis, day } = props
  const period = props.isWholeDay ? ', last 24 hours' : ` since start, ${clockText(props.startedAtMs)}`
  return (
    <AdminShell frame={frame} title="Health">
      <p class="muted">
        Version <span safe>{frame.version}</span>, started <RelativeTime ms={props.startedAtMs} nowMs={frame.nowMs} />
      </p>
      <Section id="day" title={`Requests${period}`} class="panel">
        <dl class="stats">
          <Detail name="Successful" text={countText(day.responses)} />
          <Detail name="Failed" text={percentText(day.failures, day.responses + day.failures)} />
          <Detail name="From cache" text={percentText(day.cacheHits, day.responses)} />
          <Detail name="Latency fetched, p50 / p95" text={percentilesText(day.fetched)} />
          <Detail name="Latency from cache, p50 / p95" text={percentilesText(day.cached)} />
        </dl>
      </Section>
      <div class="columns">
        <Section id="backups" title="Backups" class="panel">
          <Backups {...props} />
          <p>
            <a href="/docs/backup">Backup and restore</a>
          </p>
        </Section>
        <Section id="server" title="Server" class="panel">
          <dl class="details">
            <Detail name="Fetches" text={loadText(fetches)} />
            <Detail name="Chromium">
              <State of={CHROMIUM[chromium.state]} text={chromium.detail} hint={CHROMIUM[chromium.state][2]} />
            </Detail>
            {chromium.state === 'running' && <Detail name="Pages in Chromium" text={loadText(chromium)} />}
            <Detail name="Memory">
              <span safe>{`${decimalBytesText(memory.bytes)} of ${decimalBytesText(memory.totalBytes)}`}</span>{' '}
              <span class="muted">without Chromium</span>
            </Detail>
            <Detail name="Disk">
              <State of={DISK[disk.status]} text={disk.detail} hint={disk.remedy} />
            </Detail>
            <Detail name="Database">
              <span safe>
                {database.kind + (database.bytes === null ? '' : `, ${decimalBytesText(database.bytes)}`)}
              </span>{' '}
              <code safe>{database.place}</code>
            </Detail>
            <Detail name="Cached results" text={`${entries} of at most ${countText(cache.maxEntries)}`} />
            {redis?.isUp === true && <Detail name="Redis" text="Available" />}
            {redis?.isUp === false && (
              <Detail name="Redis">
                <State of={['Unavailable', 'bad']} text={redis.reason} hint={WITHOUT_REDIS} />
              </Detail>
            )}
          </dl>
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
      <Section id="reasons" title={`Failures by reason${period}`} class="panel">
        <FailureReasons failures={props.failuresByReason} />
      </Section>
      <Section id="hosts" title={`Hosts with failures${period}`}>
        <FailingHosts hosts={props.failingHosts} nowMs={frame.nowMs} />
      </Section>
    </AdminShell>
  )
}

const WITHOUT_REDIS = 'Until it is available, each process counts requests per minute and caches results separately.'

function State({
  of,
  text,
  hint = '',
}: {
  of: readonly [string, Tone, ...unknown[]]
  text: string
  hint?: string | undefined
}) {
  return (
    <>
      <Badge text={of[0]} tone={of[1]} /> <InlineText class="muted" text={text} />
      <Hint text={hint} />
    </>
  )
}

const loadText = ({ active, limit, waiting }: Load) =>
  `${countText(active)} of ${countText(limit)}, ${countText(waiting)} waiting`

function Backups({ backup, database, frame }: Pick<AdminHealthProps, 'backup' | 'database' | 'frame'>) {
  if (database.backupProgram !== null) {
    return <Hint text={`${database.kind} is backed up with its own tools, such as ${database.backupProgram}.`} />
  }
  if (backup === null) return <p class="hint">No backups are scheduled. Set URLMETA_BACKUP_DIR to enable them.</p>
  const { last, nextAtMs, error, isRunning } = backup
  return (
    <>
      <dl class="details">
        <Detail name="Last backup">
          <RelativeTime ms={last?.atMs ?? null} nowMs={frame.nowMs} />
          {last !== null && <span safe>{`, ${decimalBytesText(last.bytes)}`}</span>}
        </Detail>
        {error !== null && (
          <Detail name="Latest attempt">
            <State of={['Failed', 'bad']} text={error} />
          </Detail>
        )}
        <Detail name={isRunning ? 'Backup' : 'Next backup'}>
          {isRunning ? <Badge tone="accent" text="Running" /> : <Timestamp ms={nextAtMs} />}
        </Detail>
      </dl>
      {!isRunning && (
        <PostForm action="/admin/health/backup" csrf={frame.csrf} busy="Backing up…">
          <button class="button">Back up now</button>
        </PostForm>
      )}
    </>
  )
}
