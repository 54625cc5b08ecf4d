import { FetchError } from '../../core/errors.ts'
import type { Budget, ReadTexts } from '../../core/fetch/ports.ts'
import type { FetchLeases } from '../../core/fetch/leases.ts'
import { splitCacheKey, type Target } from '../../core/net/url.ts'
import { endPhases, type FetchTrace } from '../../core/fetch/trace.ts'
import { epochMs } from '../../core/system.ts'
import { traced } from './steps.ts'
import { createSingleFlight, type WaitOptions } from './single-flight.ts'
import {
  type CachedReadResult,
  createStoredResults,
  type StoredRequest,
  type StoredResultsDeps,
} from './stored-results.ts'

export interface CachedReadRequest extends WaitOptions, Target, Omit<StoredRequest, 'withDetails'> {
  /** When false, neither a cached result nor a pending fetch is used; the fresh result is cached. */
  readCache: boolean
}

export type CachedReader = ReturnType<typeof createCachedReader>

export interface CachedReaderDeps extends StoredResultsDeps {
  leases: FetchLeases
  /** Reads the page itself. */
  read: ReadTexts
  wait: (ms: number) => Promise<unknown>
}

/** Between two reads of the cache while another process fetches the page, which mostly takes at least 100 ms. */
const POLL_MS = 50

/** Returns a cached result, or reads the page and caches the result unless it is provisional. */
export function createCachedReader(deps: CachedReaderDeps) {
  const { leases, read, wait } = deps
  const results = createStoredResults(deps)
  const fetches = createSingleFlight<CachedReadResult>()

  async function readAndStore(target: Target, budget: Budget, listsTags: boolean, trace: FetchTrace) {
    using pending = results.pending(target.cacheKey, budget)
    const { json, details, isProvisional } = await read(target.url, budget, trace, listsTags)
    const texts = { json, ...(details !== undefined && { details }) }
    const found: CachedReadResult = { ...texts, cached: false, isProvisional }
    // Not awaited, because a locked database must not delay the response beyond the caller's timeout.
    return { found, storing: isProvisional ? Promise.resolve() : pending.store(texts) }
  }

  /**
   * Reads the page, or waits for the result if another process is reading it. If that process stores no result, because
   * it failed or crashed, this one takes the lease.
   */
  async function readOnce(target: Target & Pick<StoredRequest, 'needs'>, budget: Budget, trace: FetchTrace) {
    // With the details, because another request that waits for the result may need them.
    const stored = { ...target, readCache: true, publicOnly: budget.publicOnly, withDetails: true }
    for (;;) {
      const lease = await leases.acquire(results.keyOf(target.cacheKey, budget))
      // Another process may have stored the result since the cache was read.
      const found = lease === null || lease.isShared ? await results.find(stored) : null
      if (found !== null) {
        void lease?.release()
        return found
      }
      if (lease !== null) {
        delete trace.step
        const done = readAndStore(target, budget, false, trace)
        // Released only after the result is stored, so that the next process finds it.
        void done
          .then(({ storing }) => storing)
          .catch(() => {})
          .finally(() => lease.release())
        return (await done).found
      }
      trace.step ??= { name: 'shared', sinceMs: epochMs(performance) }
      await wait(POLL_MS)
      budget.signal.throwIfAborted()
    }
  }

  return {
    /** The cached result, if the request allows one and it has not expired. */
    stored: results.find,

    /**
     * The trace stays empty if the result was cached, or came from the fetch of another request.
     * @throws FetchError; AppError `client_closed`
     */
    async get(request: CachedReadRequest, trace: FetchTrace = { hops: [] }) {
      const { url, cacheKey, readCache, needs, ...waitOptions } = request
      const stored = await results.find({ cacheKey, readCache, needs, publicOnly: waitOptions.publicOnly })
      if (stored !== null) return stored
      const startedAt = epochMs(performance)
      const own: { signal?: AbortSignal; work?: Promise<CachedReadResult> } = {}
      try {
        return await fetches.join(readCache ? results.keyOf(cacheKey, waitOptions) : null, waitOptions, (budget) => {
          own.signal = budget.signal
          return (own.work = readCache
            ? readOnce({ url, cacheKey, needs }, budget, trace)
            : readAndStore({ url, cacheKey }, budget, false, trace).then(({ found }) => found))
        })
      } catch (error) {
        // A fetch that was canceled because its client disconnected ends soon. Only then is its trace complete.
        if (waitOptions.signal.aborted && own.signal?.aborted) await own.work?.catch(() => {})
        const isTimeout = error instanceof FetchError && error.failure === 'timeout'
        if (own.work === undefined && isTimeout) trace.step = { name: 'shared', sinceMs: startedAt }
        endPhases(trace, epochMs(performance))
        throw error
      }
    },

    /**
     * Fetches the page without joining a pending fetch, so that the details of this fetch are available, and caches the
     * result. It also lists the tags of the page; other requests do not, because that takes about as long as extraction.
     * @throws FetchError; AppError `client_closed`
     */
    read: (request: CachedReadRequest, trace: FetchTrace) =>
      traced(
        trace,
        fetches.join(null, request, async (budget) => (await readAndStore(request, budget, true, trace)).found),
      ),

    /** Deletes the results of a page. Results of fetches in progress are neither stored nor shared with later requests. */
    async deletePage(page: string) {
      fetches.unshare((key) => splitCacheKey(key).page === page)
      await results.deletePage(page)
    },
  }
}
