import { describe, expect, test } from 'bun:test'

import {
  ALL_REQUESTS,
  filterRequests,
  isWholeLog,
  type LoggedRequest,
  loggedValues,
  summarizeRequests,
} from '../../../src/core/usage/request-log.ts'
import { loggedRequest } from '../../logged-request.ts'

const logged = (of: Partial<LoggedRequest>) => loggedRequest({ cache: 'MISS', ...of })

describe('the filter', () => {
  const requests = [
    logged({ requestId: 'a' }),
    logged({ requestId: 'b', cache: 'HIT', keyId: 'k2' }),
    logged({ requestId: 'c', cache: null, reason: 'timeout', status: 502, host: 'slow.example' }),
    logged({ requestId: 'd', cache: null, reason: 'minute_limit', status: 429, host: 'slow.example' }),
  ]
  test.each([
    ['all', {}, 'abcd'],
    ['one key', { keyId: 'k2' }, 'b'],
    ['successful ones', { result: 'ok' }, 'ab'],
    ['failed ones', { result: 'failed' }, 'cd'],
    ['those with one reason', { result: 'minute_limit' }, 'd'],
    ['those with an unknown reason', { result: 'nonsense' }, ''],
    ['those of one host', { host: 'slow.example' }, 'cd'],
    ['cached ones', { cache: 'HIT' }, 'b'],
    ['fetched ones', { cache: 'MISS' }, 'a'],
    ['all conditions together', { keyId: 'k1', result: 'timeout', host: 'slow.example' }, 'c'],
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

test('the values of a log are the reasons of its failures and its most frequent hosts, sorted', () => {
  const requests = [
    logged({ keyId: 'k2', reason: 'timeout', host: 'z.example' }),
    logged({ reason: 'http_status 404', host: 'a.example' }),
    logged({ reason: 'timeout', host: 'z.example' }),
    logged({}),
  ]
  expect(loggedValues(requests)).toEqual({
    reasons: ['http_status 404', 'timeout'],
    hosts: ['a.example', 'z.example'],
  })
  const many = Array.from({ length: 101 }, (_, n) => logged({ host: `h${n}.example` }))
  const { hosts } = loggedValues([...many, logged({ host: 'last.example' }), logged({ host: 'last.example' })])
  expect(hosts).toHaveLength(100)
  expect(hosts).toContain('last.example')
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
