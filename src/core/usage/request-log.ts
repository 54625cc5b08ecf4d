/** The request log, in which users see the API requests with their own keys. The log is a sample, not accounting. */

import { addTo, percentile } from '../tally.ts'
import type { DailyUsage } from './ports.ts'

/** A finished request with a key. */
export interface LoggedRequest {
  userId: string
  keyId: string
  /** The `X-Request-Id` of the response. */
  requestId: string
  /** When the request finished, in Unix milliseconds. */
  atMs: number
  method: string
  /** The format of another service: `microlink`; null for `/v1/metadata`. */
  format: string | null
  status: number
  /** `ok`, the kind of failure of the fetch, or the kind of error: `timeout`, `http_status 404`, `minute_limit`. */
  reason: string
  cache: 'HIT' | 'MISS' | null
  /** Milliseconds until the response was ready. */
  latencyMs: number
  /** Host and path of the requested URL; null unless the user has enabled them. */
  host: string | null
  path: string | null
  /** `RequestDetails` as JSON; null if there are none. Only numbers and names from fixed sets, to keep it short. */
  details: string | null
}

/** Older requests of a key are deleted. */
export const MAX_LOGGED_OF_KEY = 1_000

/**
 * The maximum for all keys of a user together, because a user can create any number of keys within
 * REQUEST_LOG_RETENTION_MS.
 */
export const MAX_LOGGED_OF_USER = 10_000

/** Longer paths are truncated. Enough for nearly all URLs, and bounds a user's log to about 5 MB. */
export const MAX_LOGGED_PATH_CHARACTERS = 300

/** Unix milliseconds; the end is exclusive. */
type TimeRange = readonly [startMs: number, endMs: number]

export interface RequestLog {
  /** Stores the requests of users who still exist, without host and path for users who have disabled them. Atomic. */
  append(requests: readonly LoggedRequest[]): Promise<void>
  /** Deletes all but the newest `keep` requests of each of these keys or users. */
  trim(owner: 'keyId' | 'userId', ids: readonly string[], keep: number): Promise<void>
  /** The newest request with this id, of the user or, for null, of any user; null if there is none. */
  find(userId: string | null, requestId: string): Promise<LoggedRequest | null>
  /** The newest requests of one of the user's keys, or of all keys for null, newest first; of a range of time, if given. */
  list(userId: string, keyId: string | null, limit: number, range?: TimeRange): Promise<LoggedRequest[]>
  /** The newest requests of all users, or of one key, newest first; for operators. */
  newest(keyId: string | null, limit: number): Promise<(LoggedRequest & { email: string | null })[]>
  /** The requests since this time by hour, oldest first: `day` is `2026-11-20T14`. All requests except `ok` are failures. */
  hours(userId: string, keyId: string | null, sinceMs: number): Promise<DailyUsage[]>
  /** Sets host and path of the stored requests of a user to null. */
  eraseUrls(userId: string): Promise<void>
  /** Deletes requests before this time; returns how many. */
  sweep(beforeMs: number): Promise<number>
}

export interface RequestFilter {
  /** Null for all keys. */
  keyId: string | null
  /** `all`, `ok`, `cached`, `fetched`, `failed`, or a reason. */
  result: string
  /** A request ID, or a part of a host or path; '' for all. */
  text: string
  /** A UTC day (`2026-11-20`) or hour (`2026-11-20T14`); null for all. */
  day: string | null
}

export const ALL_REQUESTS: RequestFilter = { keyId: null, result: 'all', text: '', day: null }

/** Applies all conditions of a filter except `day`, which is applied when requests are read from the log. */
export function filterRequests<Logged extends LoggedRequest>(
  requests: readonly Logged[],
  filter: RequestFilter,
): Logged[] {
  const { keyId, result, text } = filter
  // The log has no scheme and no query, which copied URLs have.
  const part = text
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[?#].*/, '')
  return requests.filter(
    (request) =>
      (keyId === null || request.keyId === keyId) &&
      hasResult(request, result) &&
      (request.requestId === text || `${request.host ?? ''}${request.path ?? ''}`.toLowerCase().includes(part)),
  )
}

function hasResult({ reason, cache }: LoggedRequest, result: string): boolean {
  if (result === 'failed') return reason !== 'ok'
  if (result === 'cached' || result === 'fetched')
    return reason === 'ok' && cache === (result === 'cached' ? 'HIT' : 'MISS')
  return result === 'all' || reason === result
}

/** Whether the log has all requests of these hours: only requests beyond `MAX_LOGGED_OF_KEY` of a key are deleted. */
export function isWholeLog(hours: readonly DailyUsage[]): boolean {
  return hours.reduce((sum, { successes, failures }) => sum + successes + failures, 0) < MAX_LOGGED_OF_KEY
}

/** Latencies of successful requests in milliseconds; null if there were none. */
export type Latency = Record<'p50' | 'p95', number | null>

/** @param counts of each latency */
export const latencyOf = (counts: ReadonlyMap<number, number>): Latency => ({
  p50: percentile(counts, 50),
  p95: percentile(counts, 95),
})

const MAX_FAILING_HOSTS = 20

export type RequestSummary = ReturnType<typeof summarizeRequests>

/**
 * @param requests newest first
 * @param searched the number of requests from which they were selected
 */
export function summarizeRequests(requests: readonly LoggedRequest[], searched = requests.length) {
  const failures = requests.filter(({ reason }) => reason !== 'ok')
  const latencyFrom = (result: 'cached' | 'fetched'): Latency => {
    const counts = new Map<number, number>()
    for (const request of requests) if (hasResult(request, result)) addTo(counts, request.latencyMs, 1)
    return latencyOf(counts)
  }
  return {
    total: requests.length,
    searched,
    failed: failures.length,
    fetched: latencyFrom('fetched'),
    cached: latencyFrom('cached'),
    failuresByReason: countsByReason(failures),
    failuresByHost: groupedBy('host', failures)
      .slice(0, MAX_FAILING_HOSTS)
      .map(([host, ofHost]) => {
        const latest = ofHost[0]!
        return { host, count: ofHost.length, lastReason: latest.reason, lastAtMs: latest.atMs }
      }),
  }
}

/** The failures of requests by reason, the most frequent first. */
export function countsByReason(requests: readonly LoggedRequest[]) {
  const failures = requests.filter(({ reason }) => reason !== 'ok')
  return groupedBy('reason', failures).map(([reason, { length }]) => ({ reason, count: length }))
}

/** Groups requests by a property, the largest group first. Requests without the property are left out. */
function groupedBy(name: 'reason' | 'host', requests: readonly LoggedRequest[]) {
  const groups = [...Map.groupBy(requests, (request) => request[name] ?? '')]
  return groups.filter(([value]) => value !== '').toSorted(([, a], [, b]) => b.length - a.length)
}
