import { LRUCache } from 'lru-cache'

import { DAY_MS, HOUR_MS } from '../core/duration.ts'
import { SNIFF_BYTES, sniffContent } from '../core/fetch/content-type.ts'
import { UNSUPPORTED_IMAGES } from '../core/fetch/signatures.ts'
import { FetchError } from '../core/errors.ts'
import { wordSet } from '../core/word-set.ts'
import { type Caller, type Fetcher, keyFor } from '../core/fetch/ports.ts'
import type { Hop } from '../core/fetch/trace.ts'
import { untilAborted } from './response/abort.ts'
import { readStart } from './response/body.ts'
import { startRedirectChain, followRedirects, hasHttpsHop } from './connection/redirects.ts'
import type { ChainSettings, FinalResponse } from './connection/redirects.ts'

/** How long a request waits for a probe, so that a slow favicon does not slow down the response. */
const MAX_WAIT_MS = 3_000

/** Time left for the caller to respond after the probe. */
const RESERVE_MS = 50

/** The timeout of a probe. It is longer than `MAX_WAIT_MS`, because later requests use the result. */
const MAX_PROBE_MS = 10_000

const MAX_REDIRECTS = 3

/** 50,000 sites for a day. Limited by size, not by `max`, which would allocate memory for all of them at the start. */
const CACHE = { maxSize: 50_000, sizeCalculation: () => 1, ttl: DAY_MS }

/** After this many consecutive failures the icon is considered missing for an hour, so that pages can be cached. */
const MAX_FAILURES = 2
const FAILED_MS = HOUR_MS

/** Failures that may be temporary. All others mean that there is no icon. */
const TRANSIENT_FAILURES = wordSet('timeout connection_refused egress_proxy connection_reset')

/**
 * Checks whether sites have an undeclared icon (`/favicon.ico`), at most once a day for each site. Concurrent requests
 * share one probe; the probe continues when the requests stop waiting. `send` has its own slots, because probes must
 * not wait for pages. Their queue is the limit on concurrent probes, and takes turns by user.
 */
export function createIconProbe({ closing, settings, ...start }: ChainSettings): Fetcher['hasIcon'] {
  const cache = new LRUCache<string, boolean>(CACHE)
  const failures = new LRUCache<string, number>(CACHE)
  const probes = new Map<string, Promise<boolean | null>>()

  async function probe(key: string, url: URL, caller: Caller, after: readonly Hop[]): Promise<boolean | null> {
    const timeout = AbortSignal.timeout(MAX_PROBE_MS)
    const signal = AbortSignal.any([closing, timeout])
    const chain = startRedirectChain({
      ...start,
      sites: settings().sites,
      signal,
      caller,
      trace: { hops: [] },
      isAfterHttps: hasHttpsHop(after),
      redirectsLeft: MAX_REDIRECTS,
    })
    try {
      const { isIcon, status } = await followRedirects(chain, url, 'caller', async (final) => ({
        isIcon: await showsIcon(final, signal),
        status: final.status,
      }))
      // An overloaded site may return an icon later.
      return status >= 500 || status === 429 ? failed(key) : store(key, isIcon)
    } catch (error) {
      // A full queue is caused by this service, not by the site.
      if (error instanceof FetchError && error.failure === 'overloaded') return null
      if (error instanceof FetchError && !TRANSIENT_FAILURES.has(error.failure)) return store(key, false)
      // Other errors do not count as failures of the site either.
      return error instanceof FetchError || error === timeout.reason ? failed(key) : null
    }
  }

  function store(key: string, isIcon: boolean): boolean {
    failures.delete(key)
    cache.set(key, isIcon)
    return isIcon
  }

  function failed(key: string): false | null {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    if (count < MAX_FAILURES) return null
    failures.delete(key)
    cache.set(key, false, { ttl: FAILED_MS })
    return false
  }

  return async (url, budget, after = []) => {
    const key = keyFor(budget, url.href)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const run = () => probe(key, url, budget, after).finally(() => probes.delete(key))
    const result = probes.getOrInsertComputed(key, run)
    const waitMs = Math.min(MAX_WAIT_MS, budget.remainingMs() - RESERVE_MS)
    if (waitMs <= 0) return null
    const deadline = AbortSignal.any([budget.signal, AbortSignal.timeout(waitMs)])
    return await untilAborted(result, deadline).catch(() => null)
  }
}

/** Checks the bytes and ignores the Content-Type, because many sites return a page for every path. */
async function showsIcon({ response, status }: FinalResponse, signal: AbortSignal): Promise<boolean> {
  if (status !== 200) return false
  const start = await readStart(response, SNIFF_BYTES, signal)
  const type = sniffContent('', start, true)
  return type?.kind === 'image' && !UNSUPPORTED_IMAGES.includes(type.mimeType)
}
