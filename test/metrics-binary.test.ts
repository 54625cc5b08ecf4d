import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { version } from '../package.json'
import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { createKey } from './new-key.ts'

const DEPLOY = join(import.meta.dir, '../docs/deploy')
const RULES = join(DEPLOY, 'prometheus-rules.yml')
const PROMTOOL = Bun.which('promtool')
if (PROMTOOL === null && (process.env['TEST_REQUIRE'] ?? '').split(',').includes('promtool')) {
  throw new Error('TEST_REQUIRE names promtool, and it was not found')
}
const testPromtool = PROMTOOL === null ? test.skip : test

const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) =>
    new Response('<title>A page</title><link rel="icon" href="/i.png">', {
      status: url.endsWith('/gone') ? 410 : 200,
      headers: { 'content-type': 'text/html' },
    }),
})

let workspace: Workspace
let service: Service
let scrape = ''
let key = ''
let backupDir = ''
beforeAll(async () => {
  workspace = openWorkspace()
  backupDir = join(workspace.dir, 'backups')
  service = await workspace.serve({
    URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
    URLMETA_BACKUP_DIR: backupDir,
    URLMETA_BACKUP_EVERY: '12h',
  })
  key = await createKey(workspace)
  for (const path of ['/page', '/page', '/gone']) {
    const query = new URLSearchParams({ url: `http://127.0.0.1:${origin.port}${path}` })
    await fetch(`${service.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
  }
  await fetch(`${service.url}/v1/metadata`)
  // Results are stored after the responses.
  const isCounted = () =>
    scrape.includes('outcome="unauthorized"} 1') &&
    scrape.includes('\nurlmeta_cache_entries 1\n') &&
    !scrape.includes('\nurlmeta_backup_last_timestamp_seconds 0\n')
  while (!isCounted()) {
    await Bun.sleep(5)
    scrape = await (await fetch(`${service.url}/metrics`)).text()
  }
}, 120_000)
afterAll(async () => {
  await workspace[Symbol.asyncDispose]()
  await origin.stop(true)
})

/** The values of the lines that begin with a series, such as `name{label="value"}`. */
const valueOf = (series: string) =>
  scrape.split('\n').flatMap((line) => (line.startsWith(`${series} `) ? [Number(line.slice(series.length))] : []))

describe('a scrape of the executable', () => {
  test.each<[series: string, value: number]>([
    ['urlmeta_http_requests_total{route="/v1/metadata",outcome="ok"}', 2],
    ['urlmeta_http_requests_total{route="/v1/metadata",outcome="fetch_failed"}', 1],
    ['urlmeta_http_requests_total{route="/v1/metadata",outcome="unauthorized"}', 1],
    ['urlmeta_http_requests_total{route="/v1/metadata",outcome="internal"}', 0],
    ['urlmeta_http_requests_total{route="/v1/metadata",outcome="month_limit"}', 0],
    ['urlmeta_http_requests_total{route="/keys/:id",outcome="internal"}', 0],
    ['urlmeta_http_requests_total{route="-",outcome="internal"}', 0],
    ['urlmeta_http_request_duration_seconds_count{route="/v1/metadata",cache="hit"}', 1],
    ['urlmeta_http_request_duration_seconds_count{route="/v1/metadata",cache="miss"}', 1],
    ['urlmeta_cache_hits_total{layer="memory"}', 1],
    ['urlmeta_cache_hits_total{layer="database"}', 0],
    ['urlmeta_cache_misses_total', 1],
    ['urlmeta_fetches_total{method="http"}', 1],
    ['urlmeta_fetches_total{method="headless"}', 0],
    ['urlmeta_fetch_failures_total{reason="http_status"}', 1],
    ['urlmeta_fetch_failures_total{reason="timeout"}', 0],
    ['urlmeta_fetch_phase_duration_seconds_count{phase="firstByte"}', 2],
    ['urlmeta_admission_refusals_total{reason="unauthorized"}', 1],
    ['urlmeta_render_failures_total{reason="not_started"}', 0],
    ['urlmeta_fetches_running', 0],
    ['urlmeta_fetches_limit', 256],
    ['urlmeta_browser_launches_total', 0],
    ['urlmeta_cache_entries', 1],
    ['urlmeta_usage_commit_failures_total', 0],
    ['urlmeta_backup_interval_seconds', 12 * 3_600],
    ['urlmeta_backup_failures_total', 0],
    // Two fetches are reserved and settled; one cached response is charged in one step.
    ['urlmeta_usage_batch_size_sum', 5],
  ])('has %s %d', (series, value) => expect(valueOf(series)).toEqual([value]))

  test.each([
    'urlmeta_database_size_bytes',
    'urlmeta_data_dir_free_bytes',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ])('has a value of %s', (series) => expect(valueOf(series)[0]).toBeGreaterThan(0))

  test('has the time of the last backup', () => {
    const [file] = readdirSync(backupDir)
    expect(valueOf('urlmeta_backup_last_timestamp_seconds')).toEqual([statSync(join(backupDir, file!)).mtimeMs / 1_000])
  })

  test('has the build information', () => {
    expect(scrape).toMatch(
      new RegExp(`^urlmeta_build_info\\{version="${version}",commit="\\S+",runtime="bun \\S+"\\} 1$`, 'm'),
    )
  })

  test('has the event-loop lag', () => {
    for (const kind of ['p99', 'max', 'mean']) expect(valueOf(`nodejs_eventloop_lag_${kind}_seconds`)).toHaveLength(1)
  })

  test('contains neither URLs nor keys', () => {
    expect(scrape).not.toContain(`:${origin.port}`)
    expect(scrape).not.toContain(key.slice(-32))
  })

  testPromtool('is what promtool checks', async () => {
    expect(await promtool(['check', 'metrics'], scrape)).toEqual({ code: 0, faults: '' })
  })
})

/** The names of all series of a scrape, including series of histograms. */
function seriesNames(): Set<string> {
  const names = new Set<string>()
  for (const [, name = '', type] of scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(name + suffix)
  }
  return names
}

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[]
  templating: { list: { query: string }[] }
}

/** Each expression of the alert rules and the Grafana dashboard, with the name of its rule or panel. */
async function expressions(): Promise<[name: string, expression: string][]> {
  const rules = Bun.YAML.parse(await Bun.file(RULES).text()) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const dashboard = (await Bun.file(join(DEPLOY, 'grafana-dashboard.json')).json()) as Dashboard
  return [
    ...rules.groups.flatMap((group) => group.rules.map(({ alert, expr }): [string, string] => [alert, expr])),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }, i): [string, string] => [`${title} ${i + 1}`, expr.replaceAll('$__rate_interval', '5m')]),
    ),
    ...dashboard.templating.list.flatMap(({ query }): [string, string][] => {
      const series = /^label_values\((.*), \w+\)$/.exec(query)?.[1]
      return series === undefined ? [] : [[query, series]]
    }),
  ]
}

/** The metrics that an expression reads: metrics of urlmeta and of the process, and `up`, which Prometheus adds. */
const metricsOf = (expression: string) => expression.match(/\b(?:urlmeta|process|nodejs)_\w+|\bup\b/g) ?? []

describe('docs/deploy', async () => {
  const all = await expressions()

  test('has rules and panels', () => expect(all.length).toBeGreaterThan(40))

  test.each(all)('%s reads metrics that exist', (_, expression) => {
    const read = metricsOf(expression)
    // The second metric exists only with Redis; shared-state.test.ts tests it.
    const names = seriesNames().add('up').add('urlmeta_redis_up')
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((name) => !names.has(name))).toEqual([])
  })

  const selectors = all.flatMap(([name, expression]) =>
    [...expression.matchAll(/\b(urlmeta_\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', labels = '']) =>
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']): [string, string, string, string] => [
        name,
        metric,
        label,
        value,
      ]),
    ),
  )
  test.each(selectors)('%s selects a series that exists: %s{%s="%s"}', (_, metric, label, value) => {
    const lines = scrape.split('\n').filter((line) => line.startsWith(`${metric}{`))
    expect(lines.filter((line) => line.includes(`${label}="${value}"`)).length).toBeGreaterThan(0)
  })

  testPromtool('prometheus.yml and its rules are what promtool checks', async () => {
    expect(await promtool(['check', 'config', join(DEPLOY, 'prometheus.yml')])).toEqual({ code: 0, faults: '' })
  })

  testPromtool('the expressions of the dashboard are what promtool checks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'urlmeta-rules-'))
    try {
      const rules = all.map(([, expr], i) => ({ record: `panel:${i}`, expr }))
      const file = join(folder, 'rules.yml')
      // JSON is valid YAML.
      await Bun.write(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      expect(await promtool(['check', 'rules', file])).toEqual({ code: 0, faults: '' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

async function promtool(args: string[], stdin = ''): Promise<{ code: number; faults: string }> {
  const child = Bun.spawn([PROMTOOL!, ...args], { stdin: Buffer.from(stdin), stdout: 'ignore', stderr: 'pipe' })
  const [code, faults] = await Promise.all([child.exited, child.stderr.text()])
  return { code, faults }
}
