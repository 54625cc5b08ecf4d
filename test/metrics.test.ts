import { describe, expect, test } from 'bun:test'

import { createMetrics, type MetricsDeps } from '../src/metrics.ts'
import help from '../src/metrics/help.json'
import { startApp } from './http/app.ts'

describe('metrics', () => {
  const load = { active: 0, waiting: 0, limit: 1 }
  const scraped: MetricsDeps['scraped'] = {
    fetches: () => load,
    renders: () => load,
    browsers: () => ({ launches: 2, crashes: 1, faults: 3 }),
    workers: () => ({ workers: 1, restarts: 4 }),
    cacheEntries: () => 0,
    databaseBytes: () => 1,
    walBytes: () => 1,
    sweepPaused: () => false,
    freeBytes: () => 1,
    backups: null,
    redisUp: null,
  }
  const build = { version: '1', commit: 'c', runtime: 'r' }

  test('help.json has every metric, and no other', async () => {
    const backups = () => ({ last: null, everyMs: 60_000, failures: 0 })
    const metrics = createMetrics({ build, scraped: { ...scraped, backups, redisUp: () => true } })
    const names = [...(await metrics.scrape()).matchAll(/^# HELP (urlmeta_\w+) /gm)].map(([, name]) => name!)
    expect(names.toSorted()).toEqual(Object.keys(help).toSorted())
  })

  test('a gauge that cannot be read is NaN, and the others have values', async () => {
    const metrics = createMetrics({
      build,
      scraped: { ...scraped, databaseBytes: () => Promise.reject(new Error('gone')) },
    })
    const text = await metrics.scrape()
    expect(text).toContain('\nurlmeta_database_size_bytes Nan\n')
    expect(text).toContain('\nurlmeta_database_wal_size_bytes 1\n')
  })

  test('a counter that cannot be read keeps its last value', async () => {
    const counts = { launches: 2, crashes: 0, faults: 0 }
    let read = () => counts
    const metrics = createMetrics({ build, scraped: { ...scraped, browsers: () => read() } })
    await metrics.scrape()
    read = () => {
      throw new Error('gone')
    }
    expect(await metrics.scrape()).toContain('\nurlmeta_browser_launches_total 2\n')
  })

  test('a counter that is read at each scrape is set, not added', async () => {
    const metrics = createMetrics({ build, scraped })
    await metrics.scrape()
    const text = await metrics.scrape()
    expect(text).toContain('\nurlmeta_browser_launches_total 2\n')
    expect(text).toContain('\nurlmeta_browser_crashes_total 1\n')
    expect(text).toContain('\nurlmeta_browser_faults_total 3\n')
  })

  test.each([
    ['without backups', null, ''],
    [
      'before the first backup',
      { last: null, everyMs: 60_000, failures: 2 },
      'last_timestamp_seconds 0\ninterval_seconds 60\nfailures_total 2',
    ],
    [
      'after a backup',
      { last: { atMs: 1_500 }, everyMs: 60_000, failures: 0 },
      'last_timestamp_seconds 1.5\ninterval_seconds 60\nfailures_total 0',
    ],
  ])('%s', async (_, backups, expected) => {
    const text = await createMetrics({ build, scraped: { ...scraped, backups: backups && (() => backups) } }).scrape()
    expect([...text.matchAll(/^urlmeta_backup_(.*)$/gm)].map(([, line]) => line).join('\n')).toBe(expected)
  })

  test('a batch that cannot be committed', async () => {
    const metrics = createMetrics({ build, scraped })
    metrics.commit({ size: 3, durationMs: 2, isCommitted: true })
    metrics.commit({ size: 4, durationMs: 2, isCommitted: false })
    const text = await metrics.scrape()
    expect(text).toContain('\nurlmeta_usage_commit_failures_total 1\n')
    expect(text).toContain('\nurlmeta_usage_batch_size_sum 7\n')
  })

  test('a failed sign-in is not counted as a failed fetch', async () => {
    const metrics = createMetrics({ build, scraped })
    metrics.request({ route: '/sign-in', outcome: 'sign_in_failed', failure: 'provider_failed' }, 1)
    metrics.request({ route: '/v1/metadata', outcome: 'fetch_failed', failure: 'timeout' }, 1)
    const text = await metrics.scrape()
    expect(text).not.toContain('provider_failed')
    expect(text).toContain('\nurlmeta_fetch_failures_total{reason="timeout"} 1\n')
  })

  test('unknown paths, hosts and methods add no series', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const series = async () =>
      (await (await fetch(`${app.url}/metrics`)).text()).split('\n').filter((line) => /^urlmeta_\w+\{/.test(line))
        .length
    const send = async (n: number) => {
      await fetch(`${app.url}/nothing/${n}`)
      await fetch(`${app.url}/v1/metadata?url=http://host${n}.invalid/`, { headers: { 'x-api-key': key } })
      await fetch(`${app.url}/v1/metadata`, { headers: { 'x-api-key': `wrong ${n}` } })
      await fetch(`${app.url}/v1/metadata`, { method: ['POST', 'PUT', 'PATCH', 'DELETE'][n % 4]! })
    }
    await send(0)
    // The first scrape is itself counted in the second.
    await series()
    const before = await series()
    for (let n = 1; n < 5; n++) await send(n)
    expect(await series()).toBe(before)
  })
})
