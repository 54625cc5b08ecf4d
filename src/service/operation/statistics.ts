import { HOUR_MS } from '../../core/duration.ts'
import { failureReason } from '../../core/errors.ts'
import { addTo } from '../../core/tally.ts'

/** The fields that are counted, from the log line of a finished request for a page or an image of a page. */
export interface RequestRecord {
  /** `ok`, or the kind of the error. */
  outcome: string
  /** Absent for images, whose responses are not counted. */
  cache?: 'HIT' | 'MISS'
  /** The host of the requested URL. */
  host?: string
  /** Why a fetch or a sign-in failed. */
  failure?: string
  /** The status of the site's response, for `http_status`. */
  siteStatus?: number
}

export type Statistics = ReturnType<typeof createStatistics>

const HOURS = 24

/** Bounds the memory: callers can send any number of host names. */
const MAX_HOSTS = 100

interface Hour {
  responses: number
  cacheHits: number
  failures: Map<string, number>
}

interface FailingHost {
  /** Failures per hour, for at most 24 hours. */
  counts: Map<number, number>
  lastReason: string
  lastAtMs: number
}

/** Counts per hour, so that memory does not depend on the number of requests. */
export function createStatistics({ now }: { now: () => number }) {
  /** In the order in which they began. */
  const hours = new Map<number, Hour>()
  /** The host that failed longest ago is the first. */
  const hosts = new Map<string, FailingHost>()
  const hourNow = () => Math.floor(now() / HOUR_MS)
  /** An hour is recent if it is one of the last 24. Later hours were counted while the clock was ahead. */
  const isRecent = (hour: number) => hour <= hourNow() && hour > hourNow() - HOURS

  function currentHour(): Hour {
    const current = hours.getOrInsertComputed(hourNow(), () => ({ responses: 0, cacheHits: 0, failures: new Map() }))
    if (hours.size > HOURS) hours.delete(hours.keys().next().value!)
    return current
  }

  function noteHost(host: string, lastReason: string) {
    const counts = hosts.get(host)?.counts ?? new Map<number, number>()
    for (const hour of counts.keys()) if (!isRecent(hour)) counts.delete(hour)
    addTo(counts, hourNow(), 1)
    hosts.delete(host)
    hosts.set(host, { counts, lastReason, lastAtMs: now() })
    if (hosts.size > MAX_HOSTS) hosts.delete(hosts.keys().next().value!)
  }

  return {
    note({ outcome, cache, host, failure, siteStatus }: RequestRecord) {
      const hour = currentHour()
      if (failure !== undefined) {
        const reason = failureReason(failure, siteStatus)
        addTo(hour.failures, reason, 1)
        if (host !== undefined) noteHost(host, reason)
      } else if (outcome === 'ok' && cache !== undefined) {
        hour.responses++
        if (cache === 'HIT') hour.cacheHits++
      }
    },

    /** Statistics of the last 24 hours, counted by this process; hosts with failures are listed latest first. */
    report() {
      const recent = [...hours].flatMap(([hour, counts]) => (isRecent(hour) ? [counts] : []))
      const byReason = new Map<string, number>()
      for (const { failures } of recent) for (const [reason, count] of failures) addTo(byReason, reason, count)
      const sum = (numbers: Iterable<number>) => Array.from(numbers).reduce((total, n) => total + n, 0)
      return {
        responses: sum(recent.map(({ responses }) => responses)),
        cacheHits: sum(recent.map(({ cacheHits }) => cacheHits)),
        failures: sum(byReason.values()),
        failuresByReason: Array.from(byReason, ([reason, count]) => ({ reason, count })),
        failingHosts: Array.from(hosts, ([host, { counts, lastReason, lastAtMs }]) => {
          const recentCounts = Array.from(counts).flatMap(([hour, count]) => (isRecent(hour) ? [count] : []))
          return { host, count: sum(recentCounts), lastReason, lastAtMs }
        })
          .filter(({ count }) => count > 0)
          .toReversed(),
      }
    },
  }
}
