import { parseDetails } from '../../core/fetch/result-details.ts'
import { isFresh } from '../../core/fetch/freshness.ts'
import type { Budget, PageTexts, Principal, ReadTexts } from '../../core/fetch/ports.ts'
import type { CacheLayer, FoundResult, ResultCache } from '../../core/fetch/result-cache.ts'
import type { FetchLeases } from '../../core/fetch/leases.ts'
import { splitCacheKey, type Target } from '../../core/net/url.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { createSingleFlight, type WaitOptions } from './single-flight.ts'

export interface CachedReadRequest extends WaitOptions, Target {
  /** When false, neither a cached result nor a pending fetch is used; the fresh result is cached. */
  readCache: boolean
  /** Whether a cached result is only used if its details have `extra`. Those of earlier versions do not. */
  needsExtra?: boolean
}

/** A request for a cached result. */
export interface StoredRequest extends Pick<CachedReadRequest, 'cacheKey' | 'readCache' | 'publicOnly' | 'needsExtra'> {
  /** Whether the details are returned too, if they were stored. */
  withDetails?: boolean
}

export interface CachedReadResult {
  /** The JSON text of a `PageResult`, byte for byte as stored. */
  json: string
  cached: boolean
  /** Where a cached result was found. */
  layer?: CacheLayer
  /** The JSON text of the `ResultDetails`. Absent if it is too large; for a cached result, also if it was not requested. */
  details?: string
  /** Whether a later request may get a better result. A provisional result is not cached. */
  isProvisional: boolean
}

export type CachedReader = ReturnType<typeof createCachedReader>

export interface CachedReaderDeps {
  cache: ResultCache
  leases: FetchLeases
  /** Reads the page itself. */
  read: ReadTexts
  ttlMs: number
  /** A part of each key: a result, which may be of a private host, is only used under the same allow-list. */
  allowListId: () => string
  now: () => number
  wait: (ms: number) => Promise<unknown>
  /** Called when a result could not be cached. The response is sent anyway. */
  onStoreFault: (error: unknown) => void
}

/** Between two reads of the cache while another process fetches the page, which mostly takes at least 100 ms. */
const POLL_MS = 50

/** Returns a cached result, or reads the page and caches the result unless it is provisional. */
export function createCachedReader(deps: CachedReaderDeps) {
  const { cache, leases, read, ttlMs, allowListId, now, wait, onStoreFault } = deps
  const lookups = createSingleFlight<CachedReadResult>()
  const reads = createSingleFlight<{ texts: PageTexts }>()
  /** The reads in progress. An outdated one is not stored. */
  const pending = new Set<{ readonly key: string; isOutdated: boolean }>()

  // Without an allow-list, all requests share results.
  const keyOf = (cacheKey: string, { publicOnly }: Pick<Principal, 'publicOnly'>) =>
    cacheKey + (publicOnly ? '' : allowListId())

  async function readAndStore(target: Target, budget: Budget, listsTags: boolean, trace: FetchTrace = { hops: [] }) {
    const key = keyOf(target.cacheKey, budget)
    const current = { key, isOutdated: false }
    pending.add(current)
    try {
      const texts = await read(target.url, budget, trace, listsTags)
      const { json, details, isProvisional } = texts
      const found: CachedReadResult = { json, cached: false, isProvisional, ...(details !== undefined && { details }) }
      // If the list has changed meanwhile, each of the two may have allowed a part of what was fetched.
      const isStored = !isProvisional && !current.isOutdated && key === keyOf(target.cacheKey, budget)
      // Not awaited, because a locked database must not delay the response beyond the caller's timeout.
      const stored = { json, storedAtMs: now(), ...(details !== undefined && { details }) }
      const storing = isStored ? cache.put(key, stored).catch(onStoreFault) : Promise.resolve()
      return { texts, found, storing }
    } finally {
      pending.delete(current)
    }
  }

  /**
   * Reads the page, or waits for the result if another process is reading it. If that process stores no result, because
   * it failed or crashed, this one takes the lease.
   */
  async function readOnce(
    target: Target & Pick<StoredRequest, 'needsExtra'>,
    budget: Budget,
    trace?: FetchTrace,
  ): Promise<CachedReadResult> {
    // With the details, because another request that waits for the result may need them.
    const stored = { ...target, readCache: true, publicOnly: budget.publicOnly, withDetails: true }
    for (;;) {
      const lease = await leases.acquire(keyOf(target.cacheKey, budget))
      // Another process may have stored the result since the cache was read.
      const found = lease === null || lease.isShared ? await findStored(stored) : null
      if (found !== null) {
        void lease?.release()
        return found
      }
      if (lease !== null) {
        const done = readAndStore(target, budget, false, trace)
        // Released only after the result is stored, so that the next process finds it.
        void done
          .then(({ storing }) => storing)
          .catch(() => {})
          .finally(() => lease.release())
        return (await done).found
      }
      await wait(POLL_MS)
      budget.signal.throwIfAborted()
    }
  }

  function findStored(request: StoredRequest) {
    const { cacheKey, readCache, needsExtra = false, withDetails = needsExtra } = request
    const found = readCache ? cache.get(keyOf(cacheKey, request), { withDetails }) : null
    const accepted = needsExtra ? freshWithExtra : freshOf
    return found instanceof Promise ? found.then(accepted) : accepted(found)
  }

  const freshWithExtra = (found: FoundResult | null) =>
    parseDetails(found?.details)?.extra === undefined ? null : freshOf(found)

  function freshOf(found: FoundResult | null): CachedReadResult | null {
    if (found === null || !isFresh(found.storedAtMs, now(), ttlMs)) return null
    const fresh: CachedReadResult = { json: found.json, cached: true, layer: found.layer, isProvisional: false }
    if (found.details !== undefined) fresh.details = found.details
    return fresh
  }

  return {
    /** The cached result, if the request allows one and it has not expired. */
    stored: findStored,

    /**
     * Each hop is appended to `trace`, unless the result was cached or another request's fetch was joined.
     * @throws FetchError; AppError `client_closed`
     */
    async get({ url, cacheKey, readCache, needsExtra = false, ...waitOptions }: CachedReadRequest, trace?: FetchTrace) {
      const stored = await findStored({ cacheKey, readCache, needsExtra, publicOnly: waitOptions.publicOnly })
      if (stored !== null) return stored
      const own: { signal?: AbortSignal; work?: Promise<CachedReadResult> } = {}
      try {
        return await lookups.join(readCache ? keyOf(cacheKey, waitOptions) : null, waitOptions, (budget) => {
          own.signal = budget.signal
          return (own.work = readCache
            ? readOnce({ url, cacheKey, needsExtra }, budget, trace)
            : readAndStore({ url, cacheKey }, budget, false, trace).then(({ found }) => found))
        })
      } finally {
        // A fetch that was canceled because its client disconnected ends soon. Only then is its trace complete.
        if (waitOptions.signal.aborted && own.signal?.aborted) await own.work?.catch(() => {})
      }
    },

    /** Deletes the results of a page. Results of fetches in progress are neither stored nor shared with later requests. */
    async deletePage(page: string) {
      const isOfPage = (key: string) => splitCacheKey(key).page === page
      lookups.unshare(isOfPage)
      for (const one of pending) one.isOutdated ||= isOfPage(one.key)
      await cache.deletePage(page, false)
    },

    /**
     * Fetches the page without joining a pending fetch, so that the details of this fetch are available, and caches the
     * result. It also lists the tags of the page; other requests do not, because that takes about as long as extraction.
     * @throws FetchError; AppError `client_closed`
     */
    async read(request: CachedReadRequest, trace: FetchTrace) {
      return (await reads.join(null, request, (budget) => readAndStore(request, budget, true, trace))).texts
    },
  }
}
