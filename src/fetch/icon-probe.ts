import { LRUCache } from 'lru-cache'

import { SNIFF_BYTES, sniffContent } from '../core/content-type.ts'
import type { Fetcher } from '../core/ports.ts'
import { readStart } from './body.ts'
import { startJourney, travel, type Arrival } from './journey.ts'
import type { Visitor } from './visit.ts'

export interface IconProbeParts {
  visit: Visitor
  userAgent: string
  /** Aborts when no more requests may be made. */
  closing: AbortSignal
}

/** A nicety must not make a page slow. */
const MAX_PROBE_MS = 1_500

/** With less time than this the probe would most likely be in vain. */
const MIN_PROBE_MS = 150

/** What the caller needs after the probe to answer in time. */
const RESERVE_MS = 50

const MAX_REDIRECTS = 3

const REMEMBERED_ORIGINS = 50_000
const REMEMBERED_MS = 24 * 60 * 60 * 1_000

/** Asks sites for the icon that none of their pages declares; each of them once a day. */
export function createIconProbe({ visit, userAgent, closing }: IconProbeParts): Fetcher['hasIcon'] {
  const remembered = new LRUCache<string, boolean>({ max: REMEMBERED_ORIGINS, ttl: REMEMBERED_MS })

  return async (url, budget) => {
    const known = remembered.get(url.href)
    if (known !== undefined) return known
    const patienceMs = Math.min(MAX_PROBE_MS, budget.remainingMs() - RESERVE_MS)
    if (patienceMs < MIN_PROBE_MS) return false

    const signal = AbortSignal.any([budget.signal, closing, AbortSignal.timeout(patienceMs)])
    const { caller } = budget
    const trace = { hops: [] }
    const journey = startJourney({ visit, signal, caller, trace, userAgent, redirectsLeft: MAX_REDIRECTS })
    try {
      const { isIcon, status } = await travel(journey, url, 'caller', async (arrival) => ({
        isIcon: await showsIcon(arrival, signal),
        status: arrival.hop.status ?? 0,
      }))
      // A site that is overloaded now may well have an icon in an hour.
      if (status < 500 && status !== 429) remembered.set(url.href, isIcon)
      return isIcon
    } catch {
      // Whatever goes wrong here, the page itself was read: it simply has no icon.
      return false
    }
  }
}

/** Judged by the bytes alone: many sites answer every path with a page, whatever type they give it. */
async function showsIcon({ answer, hop }: Arrival, signal: AbortSignal): Promise<boolean> {
  if (hop.status !== 200) return false
  const start = await readStart(answer, SNIFF_BYTES, signal)
  return sniffContent('', start, true)?.kind === 'image'
}
