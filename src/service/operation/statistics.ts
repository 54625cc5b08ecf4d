import { HOUR_MS } from '../../core/duration.ts'
import { failureReason } from '../../core/errors.ts'
import type { FetchSummary } from '../../core/fetch/summary.ts'
import { addTo, totalOf } from '../../core/tally.ts'
import { latencyOf } from '../../core/usage/request-log.ts'

/** The fields that are counted, from the log line of a finished request for a page or an image of a page. */
export interface RequestRecord extends Pick<Partial<FetchSummary>, 'interstitial'> {
  /** Absent for failures, and for images, whose responses are not counted. */
  cache?: 'HIT' | 'MISS'
  /** Whole milliseconds until the response was ready. */
  ms: number
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

/** Latencies are rounded to this many digits, so that an hour has at most a few hundred of them. */
const LATENCY_DIGITS = 2

/** Successful responses by their latency in milliseconds, and failures by reason. */
interface Hour extends Record<'HIT' | 'MISS', Map<number, number>> {
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
  const startedAtMs = now()
  const hourNow = () => Math.floor(now() / HOUR_MS)
  /** An hour is recent if it is one of the last 24. Later hours were counted while the clock was ahead. */
  const isRecent = (hour: number) => hour <= hourNow() && hour > hourNow() - HOURS

  function currentHour(): Hour {
    const current = hours.getOrInsertComputed(hourNow(), newHour)
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
    note({ cache, ms, host, failure, ...facts }: RequestRecord) {
      const hour = currentHour()
      if (failure !== undefined) {
        const reason = failureReason(failure, facts)
        addTo(hour.failures, reason, 1)
        if (host !== undefined) noteHost(host, reason)
      } else if (cache !== undefined) {
        addTo(hour[cache], Number(ms.toPrecision(LATENCY_DIGITS)), 1)
      }
    },

    /**
     * Statistics of the last 24 hours, counted by this process, or of the time since its start; hosts with failures are
     * listed latest first.
     */
    report() {
      const recent = [...hours].flatMap(([hour, counts]) => (isRecent(hour) ? [counts] : []))
      const byReason = merged(recent.map(({ failures }) => failures))
      const [hits, misses] = [merged(recent.map(({ HIT }) => HIT)), merged(recent.map(({ MISS }) => MISS))]
      return {
        startedAtMs,
        isWholeDay: now() - startedAtMs >= HOURS * HOUR_MS,
        day: {
          responses: totalOf(hits) + totalOf(misses),
          cacheHits: totalOf(hits),
          cached: latencyOf(hits),
          fetched: latencyOf(misses),
          failures: totalOf(byReason),
        },
        failuresByReason: Array.from(byReason, ([reason, count]) => ({ reason, count })),
        failingHosts: Array.from(hosts, ([host, { counts, lastReason, lastAtMs }]) => {
          const count = totalOf(new Map([...counts].filter(([hour]) => isRecent(hour))))
          return { host, count, lastReason, lastAtMs }
        })
          .filter(({ count }) => count > 0)
          .toReversed(),
      }
    },
  }
}

const newHour = (): Hour => ({ HIT: new Map(), MISS: new Map(), failures: new Map() })

function merged<Key>(tallies: readonly Map<Key, number>[]): Map<Key, number> {
  const all = new Map<Key, number>()
  for (const tally of tallies) for (const [key, count] of tally) addTo(all, key, count)
  return all
}
