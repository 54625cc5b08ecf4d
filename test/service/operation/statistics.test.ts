import { expect, test } from 'bun:test'

import { createStatistics } from '../../../src/service/operation/statistics.ts'

const HOUR_MS = 3_600_000

function setUp() {
  const clock = { nowMs: 500_000 * HOUR_MS }
  return { clock, ...createStatistics({ now: () => clock.nowMs }) }
}

test('counts responses, cache hits, and failures by reason and host', () => {
  const { note, report, clock } = setUp()
  note({ cache: 'MISS', ms: 300, host: 'a.test' })
  note({ cache: 'HIT', ms: 1, host: 'a.test' })
  note({ ms: 5, host: 'a.test', failure: 'timeout', interstitial: 'consent' })
  clock.nowMs += 1
  note({ ms: 5, host: 'b.test', failure: 'blocked_by_site', interstitial: 'consent' })
  clock.nowMs += 1
  note({ ms: 5, host: 'a.test', failure: 'http_status', siteStatus: 500 })
  note({ ms: 5, host: 'a.test', failure: 'http_status', siteStatus: 404 })
  // A request over its limit.
  note({ ms: 0, host: 'a.test' })
  // An image.
  note({ ms: 7, host: 'a.test' })
  expect(report()).toEqual({
    startedAtMs: clock.nowMs - 2,
    isWholeDay: false,
    day: { responses: 2, cacheHits: 1, cached: { p50: 1, p95: 1 }, fetched: { p50: 300, p95: 300 }, failures: 4 },
    failuresByReason: [
      { reason: 'timeout', count: 1 },
      { reason: 'blocked_by_site consent', count: 1 },
      { reason: 'http_status 500', count: 1 },
      { reason: 'http_status 404', count: 1 },
    ],
    failingHosts: [
      { host: 'a.test', count: 3, lastReason: 'http_status 404', lastAtMs: clock.nowMs },
      { host: 'b.test', count: 1, lastReason: 'blocked_by_site consent', lastAtMs: clock.nowMs - 1 },
    ],
  })
})

test.each([
  ['23 hours ago', 23, 1],
  ['24 hours ago', 24, 0],
])('requests of %s', (_, hours, count) => {
  const { note, report, clock } = setUp()
  note({ ms: 5, host: 'a.test', failure: 'timeout' })
  clock.nowMs += hours * HOUR_MS
  expect(report().day.failures).toBe(count)
  expect(report().failingHosts).toHaveLength(count)
})

test.each([
  ['a day before', 24, true],
  ['less than a day before', 23.99, false],
  ['later, because the clock was ahead', -1, false],
])('whether a day was counted by a process that started %s', (_, hours, isWholeDay) => {
  const { report, clock } = setUp()
  clock.nowMs += hours * HOUR_MS
  expect(report().isWholeDay).toBe(isWholeDay)
})

test('only failures of the last 24 hours are counted for a host', () => {
  const { note, report, clock } = setUp()
  for (let i = 0; i < 100; i++) {
    clock.nowMs += HOUR_MS
    note({ ms: 5, host: 'a.test', failure: 'timeout' })
  }
  const {
    day: { failures },
    failingHosts,
  } = report()
  expect([failures, failingHosts[0]!.count]).toEqual([24, 24])
})

test('latencies are rounded to two digits, over all hours and only of successful responses', () => {
  const { note, report, clock } = setUp()
  expect(report().day.fetched).toEqual({ p50: null, p95: null })
  for (let ms = 1; ms <= 1_000; ms++) {
    clock.nowMs += HOUR_MS / 50
    note({ cache: 'MISS', ms, host: 'a.test' })
    note({ ms: 9_999, host: 'a.test', failure: 'timeout' })
  }
  expect([report().day.fetched, report().day.responses]).toEqual([{ p50: 500, p95: 950 }, 1_000])
})

test('memory is bounded for any number of hosts and any uptime', () => {
  const { note, report, clock } = setUp()
  for (let i = 0; i < 1_000; i++) {
    clock.nowMs += HOUR_MS / 100
    note({ ms: 5, host: `h${i}.test`, failure: 'host_not_found' })
  }
  const {
    failingHosts,
    day: { failures },
  } = report()
  expect(failingHosts).toHaveLength(100)
  expect(failingHosts[0]!.host).toBe('h999.test')
  expect(failures).toBe(1_000)
})

test.each([
  // The first request is then 23 hours old by its clock.
  ['an hour', 1, 1],
  ['a month', 720, 0],
])('requests counted while the clock was %s ahead are not reported as recent', (_, hours, afterDay) => {
  const { note, report, clock } = setUp()
  const count = () => {
    note({ cache: 'MISS', ms: 300, host: 'a.test' })
    note({ ms: 5, host: 'a.test', failure: 'timeout' })
  }
  const counted = () => {
    const {
      day: { responses, failures },
      failingHosts,
    } = report()
    return [responses, failures, ...failingHosts.map((host) => host.count)]
  }
  clock.nowMs += hours * HOUR_MS
  count()
  clock.nowMs -= hours * HOUR_MS
  expect(counted()).toEqual([0, 0])
  count()
  expect(counted()).toEqual([1, 1, 1])
  clock.nowMs += 24 * HOUR_MS
  expect(counted().slice(0, 2)).toEqual([afterDay, afterDay])
})
