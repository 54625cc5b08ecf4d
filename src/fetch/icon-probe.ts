import { LRUCache } from 'lru-cache'

import { SNIFF_BYTES, sniffContent } from '../core/content-type.ts'
import { FetchError, type FetchFailure } from '../core/errors.ts'
import type { Fetcher } from '../core/ports.ts'
import { untilAborted } from './abort.ts'
import { readStart } from './body.ts'
import { startJourney, travel, type Arrival } from './journey.ts'
import type { Visitor } from './visit.ts'

export interface IconProbeDeps {
  /** With slots of its own: a probe must not queue behind pages. */
  visit: Visitor
  userAgent: string
  /** Aborts when no more requests may be made. */
  closing: AbortSignal
}

/** How long one caller waits for a probe: a page must not become slow for its favicon. */
const MAX_WAIT_MS = 3_000

/** What the caller needs after the probe to answer in time. */
const RESERVE_MS = 50

/** How long a probe may take. Longer than anybody waits: the next one who asks has its outcome. */
const MAX_PROBE_MS = 10_000

/** Probes at the same time, those in the queue included; each takes some kilobytes. */
const MAX_PROBES = 1_024

const MAX_REDIRECTS = 3

const REMEMBERED_ORIGINS = 50_000
const REMEMBERED_MS = 24 * 60 * 60 * 1_000

/** Failed probes in a row after which a site has no icon for an hour: its pages must not stay uncached for ever. */
const MAX_FAILURES = 2
const FAILED_MS = 60 * 60 * 1_000

/** Failures that may be over in a minute. All others mean that there is no icon. */
const PASSING_FAILURES: ReadonlySet<FetchFailure> = new Set(['timeout', 'connection_refused', 'connection_reset'])

/**
 * Asks sites for the icon that none of their pages declares, each of them once a day. Those who ask at the same time
 * share one probe, which goes on when they no longer wait.
 */
export function createIconProbe({ visit, userAgent, closing }: IconProbeDeps): Fetcher['hasIcon'] {
  const remembered = new LRUCache<string, boolean>({ max: REMEMBERED_ORIGINS, ttl: REMEMBERED_MS })
  const failures = new LRUCache<string, number>({ max: REMEMBERED_ORIGINS, ttl: REMEMBERED_MS })
  const probes = new Map<string, Promise<boolean | null>>()

  async function probe(url: URL, caller: string | null): Promise<boolean | null> {
    const timeout = AbortSignal.timeout(MAX_PROBE_MS)
    const signal = AbortSignal.any([closing, timeout])
    const journey = startJourney({
      visit,
      signal,
      caller,
      trace: { hops: [] },
      userAgent,
      redirectsLeft: MAX_REDIRECTS,
    })
    try {
      const { isIcon, status } = await travel(journey, url, 'caller', async (arrival) => ({
        isIcon: await showsIcon(arrival, signal),
        status: arrival.hop.status ?? 0,
      }))
      // A site that is overloaded now may well have an icon in a minute.
      return status >= 500 || status === 429 ? failed(url) : remember(url, isIcon)
    } catch (error) {
      if (error instanceof FetchError && !PASSING_FAILURES.has(error.failure)) return remember(url, false)
      // What else is thrown is our own doing, such as a full queue, and says nothing of the site.
      return error instanceof FetchError || error === timeout.reason ? failed(url) : null
    }
  }

  function remember(url: URL, isIcon: boolean): boolean {
    failures.delete(url.href)
    remembered.set(url.href, isIcon)
    return isIcon
  }

  function failed(url: URL): false | null {
    const count = (failures.get(url.href) ?? 0) + 1
    failures.set(url.href, count)
    if (count < MAX_FAILURES) return null
    failures.delete(url.href)
    remembered.set(url.href, false, { ttl: FAILED_MS })
    return false
  }

  function startProbe(url: URL, caller: string | null): Promise<boolean | null> {
    const started = probe(url, caller).finally(() => probes.delete(url.href))
    probes.set(url.href, started)
    return started
  }

  return async (url, budget) => {
    const known = remembered.get(url.href)
    if (known !== undefined) return known
    const running = probes.get(url.href)
    if (running === undefined && probes.size >= MAX_PROBES) return null
    const answer = running ?? startProbe(url, budget.userId)
    const waitMs = Math.min(MAX_WAIT_MS, budget.remainingMs() - RESERVE_MS)
    if (waitMs <= 0) return null
    const patience = AbortSignal.any([budget.signal, AbortSignal.timeout(waitMs)])
    return await untilAborted(answer, patience).catch(() => null)
  }
}

/** Judged by the bytes alone: many sites answer every path with a page, whatever type they give it. */
async function showsIcon({ answer, hop }: Arrival, signal: AbortSignal): Promise<boolean> {
  if (hop.status !== 200) return false
  const start = await readStart(answer, SNIFF_BYTES, signal)
  return sniffContent('', start, true)?.kind === 'image'
}
