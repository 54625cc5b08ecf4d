import { describe, expect, test } from 'bun:test'

import {
  ALL_REQUESTS,
  countsByReason,
  filterRequests,
  isWholeLog,
  type LoggedRequest,
  summarizeRequests,
} from '../../../src/core/usage/request-log.ts'
import { loggedRequest } from '../../logged-request.ts'

const logged = (of: Partial<LoggedRequest>) => loggedRequest({ cache: 'MISS', ...of })

describe('the filter', () => {
  const requests = [
    logged({ requestId: 'a' }),
    logged({ requestId: 'b7', cache: 'HIT', keyId: 'k2', host: 'news.example:81', path: '/A' }),
    logged({ requestId: 'c', cache: null, reason: 'timeout', status: 502, host: 'slow.example', path: '/a/d' }),
    logged({ requestId: 'd', cache: null, reason: 'minute_limit', status: 429, host: 'slow.example' }),
  ]
  test.each([
    ['all', {}, 'ab7cd'],
    ['one key', { keyId: 'k2' }, 'b7'],
    ['successful ones', { result: 'ok' }, 'ab7'],
    ['failed ones', { result: 'failed' }, 'cd'],
    ['those with one reason', { result: 'minute_limit' }, 'd'],
    ['those with an unknown reason', { result: 'nonsense' }, ''],
    ['cached ones', { result: 'cached' }, 'b7'],
    ['fetched ones', { result: 'fetched' }, 'a'],
    ['that with a request ID', { text: 'b7' }, 'b7'],
    ['none with a part of a request ID', { text: '7' }, ''],
    ['those of one host', { text: 'slow.example' }, 'cd'],
    ['those with a part of a URL, in any case', { text: 'NEWS.example:81/a' }, 'b7'],
    ['those with a part of a path', { text: 'example/a/' }, 'c'],
    ['those of a URL as it is copied', { text: 'https://slow.example/a/d?token=1#top' }, 'c'],
    ['none with another text', { text: 'fast.example' }, ''],
    ['all conditions together', { keyId: 'k1', result: 'timeout', text: 'slow' }, 'c'],
  ] as const)('selects %s', (_, filter, expected) => {
    const found = filterRequests(requests, { ...ALL_REQUESTS, ...filter })
    expect(found.map(({ requestId }) => requestId).join('')).toBe(expected)
  })
})

test.each([
  ['fewer requests than are kept of a key', 900, 99, true],
  ['as many', 900, 100, false],
])('the log of hours with %s is whole: %d + %d', (_, successes, failures, isWhole) => {
  const hour = { day: '2026-11-20T14', successes: 450, cacheHits: 1, failures }
  expect(isWholeLog([hour, { ...hour, successes: successes - 450, failures: 0 }])).toBe(isWhole)
})

test('failures are counted by reason, the most frequent first', () => {
  const reasons = ['http_status 404', 'timeout', 'ok', 'timeout']
  expect(countsByReason(reasons.map((reason) => logged({ reason })))).toEqual([
    { reason: 'timeout', count: 2 },
    { reason: 'http_status 404', count: 1 },
  ])
})

test('the summary has latencies of successful requests, and failures by reason and host', () => {
  const failed = (reason: string, host: string | null, atMs: number) =>
    logged({ reason, host, atMs, status: 502, cache: null, latencyMs: 9_999 })
  const requests = [
    logged({ latencyMs: 100 }),
    logged({ latencyMs: 300 }),
    logged({ latencyMs: 2, cache: 'HIT' }),
    failed('timeout', 'slow.example', 9),
    failed('http_status 404', 'gone.example', 8),
    failed('http_status 500', 'slow.example', 7),
    failed('timeout', null, 6),
  ]
  expect(summarizeRequests(requests)).toEqual({
    total: 7,
    searched: 7,
    failed: 4,
    fetched: { p50: 100, p95: 300 },
    cached: { p50: 2, p95: 2 },
    failuresByReason: [
      { reason: 'timeout', count: 2 },
      { reason: 'http_status 404', count: 1 },
      { reason: 'http_status 500', count: 1 },
    ],
    failuresByHost: [
      { host: 'slow.example', count: 2, lastReason: 'timeout', lastAtMs: 9 },
      { host: 'gone.example', count: 1, lastReason: 'http_status 404', lastAtMs: 8 },
    ],
  })
})
