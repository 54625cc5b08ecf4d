import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { groupedRuns } from '../grouped-runs.ts'
import { describeProgram } from '../requirements.ts'

const RULES = join(import.meta.dir, '../../docs/deploy/prometheus-rules.yml')

/** As in prometheus.yml, so that four values are a minute. */
const SCRAPE_INTERVAL = '15s'

/** The default of Prometheus, which prometheus.yml does not change. */
const EVALUATION_INTERVAL = '1m'

/** Values in the notation of promtool: `0x4` is five times 0, `0+2x4` is 0 2 4 6 8. */
interface Case {
  name: string
  series: Record<string, string>
  /** Which alerts fire, by minute. */
  fires: Record<number, string[]>
}

const INTERNAL = 'urlmeta_http_requests_total{route="/v1/metadata",outcome="internal"}'
const NOT_RECORDED = 'urlmeta_usage_commit_failures_total'
const OVERLOADED = 'urlmeta_fetch_failures_total{reason="overloaded"}'
const NOT_FOUND = 'urlmeta_fetch_failures_total{reason="host_not_found"}'
const FETCHED = 'urlmeta_fetches_total{method="http"}'
const NOT_STARTED = 'urlmeta_render_failures_total{reason="not_started"}'
const UNAUTHORIZED = 'urlmeta_admission_refusals_total{reason="unauthorized"}'
const COMMITS = 'urlmeta_usage_commit_duration_seconds_bucket{'
const HITS = 'urlmeta_http_request_duration_seconds_bucket{route="/v1/metadata",cache="hit",'
const LAST_BACKUP = 'urlmeta_backup_last_timestamp_seconds'
const BACKUP_INTERVAL = 'urlmeta_backup_interval_seconds'
const BACKUP_FAILURES = 'urlmeta_backup_failures_total'

/** A histogram in which everything took between 250 ms and 1 s. */
const bucketsOf = (name: string, values: string) => ({
  [`${name}le="0.25"}`]: '0x400',
  [`${name}le="1"}`]: values,
  [`${name}le="+Inf"}`]: values,
})

const CASES: Case[] = [
  {
    name: 'silence after events of the past',
    series: {
      up: '1x400',
      [INTERNAL]: '200x400',
      [NOT_RECORDED]: '200x400',
      [OVERLOADED]: '200x400',
      [NOT_FOUND]: '200x400',
      [FETCHED]: '200x400',
      [NOT_STARTED]: '200x400',
      [UNAUTHORIZED]: '90000x400',
      urlmeta_browser_crashes_total: '9x400',
      ...bucketsOf(COMMITS, '200x400'),
      [BACKUP_FAILURES]: '200x400',
      [BACKUP_INTERVAL]: '86400x400',
      // The clock of promtool starts at 0.
      [LAST_BACKUP]: '0x400',
      urlmeta_redis_up: '1x400',
      urlmeta_fetches_waiting: '0x400',
      urlmeta_database_wal_size_bytes: '1e9x400',
      urlmeta_data_dir_free_bytes: '1e9x400',
      urlmeta_sweep_paused: '0x400',
      nodejs_eventloop_lag_p99_seconds: '0.25x400',
      nodejs_eventloop_lag_max_seconds: '1x400',
      process_open_fds: '80x400',
      process_max_fds: '100x400',
    },
    fires: { 5: [], 20: [], 90: [] },
  },
  { name: 'up: 0 for a minute', series: { up: '1x20 0x4 1x20' }, fires: { 6: [], 8: [] } },
  { name: 'up: 0', series: { up: '1x20 0x20' }, fires: { 6: [], 8: ['UrlmetaDown'] } },
  {
    name: 'internal errors: a burst between two scrapes',
    series: { [INTERNAL]: '0x20 200x100' },
    fires: { 5: [], 6: ['UrlmetaInternalErrors'], 19: ['UrlmetaInternalErrors'], 21: [] },
  },
  {
    name: 'internal errors: a burst before the second scrape',
    series: { [INTERNAL]: '0 200x100' },
    fires: { 1: ['UrlmetaInternalErrors'] },
  },
  {
    name: 'internal errors: one every ten minutes',
    series: { [INTERNAL]: '0x39 1x39 2x39 3x39' },
    fires: { 9: [], 11: ['UrlmetaInternalErrors'], 25: ['UrlmetaInternalErrors'], 35: ['UrlmetaInternalErrors'] },
  },
  {
    name: 'usage that is not recorded: one batch',
    series: { [NOT_RECORDED]: '0x20 1x100' },
    fires: { 5: [], 6: ['UrlmetaUsageNotRecorded'], 19: ['UrlmetaUsageNotRecorded'], 21: [] },
  },
  { name: 'Redis: unavailable for a minute', series: { urlmeta_redis_up: '1x20 0x4 1x20' }, fires: { 6: [], 8: [] } },
  {
    name: 'Redis: unavailable',
    series: { urlmeta_redis_up: '1x20 0x20' },
    fires: { 6: [], 8: ['UrlmetaRedisUnavailable'] },
  },
  {
    name: 'slow commits: all',
    series: { ...bucketsOf(COMMITS, '0+10x100') },
    fires: { 9: [], 12: ['UrlmetaSlowCommits'] },
  },
  {
    name: 'slow commits: a burst',
    series: { ...bucketsOf(COMMITS, '0x10 200x100') },
    fires: { 3: [], 12: [] },
  },
  {
    name: 'slow cached responses: all',
    series: { ...bucketsOf(HITS, '0+10x100') },
    fires: { 9: [], 12: ['UrlmetaSlowCachedResponses'] },
  },
  {
    name: 'the event loop: blocked again and again for 300 ms',
    series: { nodejs_eventloop_lag_p99_seconds: '0.3x100' },
    fires: { 9: [], 11: ['UrlmetaEventLoopBlocked'] },
  },
  {
    name: 'the event loop: blocked once for 4 seconds, which the 99th percentile does not show',
    series: { nodejs_eventloop_lag_p99_seconds: '0.01x100', nodejs_eventloop_lag_max_seconds: '0.01x20 4 0.01x100' },
    fires: { 5: [], 6: ['UrlmetaEventLoopStalled'], 19: ['UrlmetaEventLoopStalled'], 21: [] },
  },
  {
    name: 'fetches that wait: in the first scrape of a process',
    series: { urlmeta_fetches_waiting: '5x4 0x100' },
    fires: { 1: [], 11: [] },
  },
  {
    name: 'fetches that wait: always',
    series: { urlmeta_fetches_waiting: '5x100' },
    fires: { 9: [], 11: ['UrlmetaFetchesWait'] },
  },
  {
    name: 'rejected fetches: a burst',
    series: { [OVERLOADED]: '0x20 200x100' },
    fires: { 5: [], 6: ['UrlmetaOverloaded'], 19: ['UrlmetaOverloaded'], 21: [] },
  },
  {
    name: 'names that are not found: one wrong URL every two minutes, and nothing else',
    series: { [NOT_FOUND]: '0+0.125x200', [FETCHED]: '0x200' },
    fires: { 15: [], 30: [] },
  },
  {
    name: 'names that are not found: a burst',
    series: { [NOT_FOUND]: '0x20 200x200', [FETCHED]: '0x200' },
    fires: { 6: [], 15: [], 30: [] },
  },
  {
    name: 'names that are not found: most, for long',
    series: { [NOT_FOUND]: '0+20x200', [FETCHED]: '0+10x200' },
    fires: { 9: [], 15: ['UrlmetaNamesNotFound'] },
  },
  {
    name: 'names that are not found: a third',
    series: { [NOT_FOUND]: '0+10x200', [FETCHED]: '0+20x200' },
    fires: { 15: [], 30: [] },
  },
  {
    name: 'Chromium: one page for which it does not start',
    series: { [NOT_STARTED]: '0x20 1x100' },
    fires: { 5: [], 6: ['UrlmetaChromiumDoesNotStart'], 21: [] },
  },
  {
    name: 'Chromium: three crashes',
    series: { urlmeta_browser_crashes_total: '0x20 3x400' },
    fires: { 6: [], 60: [] },
  },
  {
    name: 'Chromium: a burst of five crashes',
    series: { urlmeta_browser_crashes_total: '0x20 5x400' },
    fires: { 6: ['UrlmetaChromiumCrashes'], 60: ['UrlmetaChromiumCrashes'], 70: [] },
  },
  {
    name: 'the write-ahead log: over 1 GB',
    series: { urlmeta_database_wal_size_bytes: '1.1e9x200' },
    fires: { 29: [], 31: ['UrlmetaWriteAheadLogGrows'] },
  },
  {
    name: 'a clock that has jumped ahead',
    series: { urlmeta_sweep_paused: '0x20 1x200' },
    fires: { 19: [], 21: ['UrlmetaSweepPaused'] },
  },
  {
    name: 'the disk: less than 1 GB',
    series: { urlmeta_data_dir_free_bytes: '2e9x20 9e8x100' },
    fires: { 9: [], 11: ['UrlmetaDiskAlmostFull'] },
  },
  {
    name: 'backups: one failure',
    series: { [BACKUP_FAILURES]: '0x20 1x400' },
    fires: { 5: [], 6: ['UrlmetaBackupFails'], 60: ['UrlmetaBackupFails'], 70: [] },
  },
  {
    name: 'backups: every attempt fails, and the last backup becomes old',
    series: {
      [BACKUP_FAILURES]: '0x59 1x59 2x59 3x59 4x59 5x59 6x59 7x59 8x59 9x59 10x59 11x59 12x59 13x59',
      [LAST_BACKUP]: '0x800',
      [BACKUP_INTERVAL]: '3600x800',
    },
    fires: {
      14: [],
      16: ['UrlmetaBackupFails'],
      194: ['UrlmetaBackupFails'],
      200: ['UrlmetaBackupFails', 'UrlmetaBackupOld'],
    },
  },
  {
    name: 'file descriptors: 81 of 100 in use',
    series: { process_open_fds: '81x100', process_max_fds: '100x100' },
    fires: { 4: [], 6: ['UrlmetaFewDescriptorsLeft'] },
  },
  {
    name: 'invalid keys: a burst',
    series: { [UNAUTHORIZED]: '0x20 10000x100' },
    fires: { 5: [], 6: ['UrlmetaKeyGuessing'], 21: [] },
  },
  { name: 'invalid keys: nine per second', series: { [UNAUTHORIZED]: '0+135x200' }, fires: { 20: [], 40: [] } },
  {
    name: 'invalid keys: eleven per second',
    series: { [UNAUTHORIZED]: '0+165x200' },
    fires: { 20: ['UrlmetaKeyGuessing'], 40: ['UrlmetaKeyGuessing'] },
  },
]

/** Adds the labels of a target to a series. */
const scraped = (series: string) => {
  const [name, labels = ''] = series.replace('}', '').split('{')
  return `${name}{${labels}${labels === '' || labels.endsWith(',') ? '' : ','}instance="a",job="urlmeta"}`
}

test('each alert fires in a case', async () => {
  const { groups } = Bun.YAML.parse(await Bun.file(RULES).text()) as { groups: { rules: { alert: string }[] }[] }
  const fired = CASES.flatMap(({ fires }) => Object.values(fires).flat())
  expect([...new Set(fired)].toSorted()).toEqual(
    groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).toSorted(),
  )
})

describeProgram('promtool', (promtool) => {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-rules-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs promtool on cases, and returns its exit code and what it complains about. */
  async function check(cases: readonly Case[]) {
    // JSON is valid YAML.
    const unitTests = {
      rule_files: [RULES],
      evaluation_interval: EVALUATION_INTERVAL,
      tests: cases.map(({ name, series, fires }) => ({
        name,
        interval: SCRAPE_INTERVAL,
        input_series: Object.entries(series).map(([one, values]) => ({ series: scraped(one), values })),
        promql_expr_test: Object.entries(fires).map(([minute, alerts]) => ({
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
        })),
      })),
    }
    const file = join(folder, 'cases.yml')
    await Bun.write(file, JSON.stringify(unitTests))
    const child = Bun.spawn([promtool, 'test', 'rules', file], { stdout: 'pipe', stderr: 'pipe' })
    const [code, faults] = await Promise.all([child.exited, child.stderr.text()])
    return { code, faults }
  }

  describe('alerts', () => {
    // One run for all cases, because each start takes a tenth of a second. If it fails, each case has its own run.
    const checkAll = groupedRuns([CASES], check)
    test.each(CASES)('$name', async (one) => {
      const all = await checkAll(one)
      expect(all.code === 0 ? all : await check([one])).toEqual({ code: 0, faults: '' })
    })
  })
})
