import { isFresh } from '../core/freshness.ts'
import type { Budget, CacheLayer, FetchLeases, ResultCache } from '../core/ports.ts'
import { cacheKeyOf, type Target } from '../core/url.ts'
import type { FetchTrace } from '../core/trace.ts'
import { createSingleFlight, type WaitOptions } from './single-flight.ts'
import type { ReadResult } from './reader.ts'

export interface LookupRequest extends WaitOptions, Target {
  /** When false, neither a cached result nor a pending fetch is used; the fresh result is cached. */
  readCache: boolean
}

export interface LookupAnswer {
  /** The JSON text of a `PageResult`, byte for byte as stored. */
  json: string
  cached: boolean
  /** Where a cached result was found. */
  layer?: CacheLayer
  /** The same request may get a better answer later; this one is not stored. */
  isProvisional: boolean
}

/** Returns a cached result, or reads the page and caches the result unless it is provisional. */
export interface Lookup {
  /** The cached result, if the request allows one and it has not expired. */
  stored(request: Pick<LookupRequest, 'cacheKey' | 'readCache'>): Promise<LookupAnswer | null>
  /**
   * Each hop is appended to `trace`, unless the result was cached or another request's fetch was joined.
   * @throws FetchError; AppError `client_closed`
   */
  get(request: LookupRequest, trace?: FetchTrace): Promise<LookupAnswer>
  /**
   * Reads the page anew and alone, so that it can be told how the result came about; stores it like any other.
   * @throws FetchError; AppError `client_closed`
   */
  read(request: LookupRequest, trace: FetchTrace): Promise<ReadResult>
}

export interface LookupDeps {
  cache: ResultCache
  leases: FetchLeases
  /** Reads the page itself. */
  read: (url: URL, budget: Budget, trace?: FetchTrace) => Promise<ReadResult>
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
  /** Waits for milliseconds. */
  wait: (ms: number) => Promise<unknown>
  /** A result could not be stored; its answer goes out all the same. */
  onStoreFault: (error: unknown) => void
}

/**
 * How often to look for the result of another process, in milliseconds: often enough beside a fetch of 100 ms and more,
 * and at most 300 times in the longest one.
 */
const POLL_MS = 50

export function createLookup({ cache, leases, read, ttlMs, now, wait, onStoreFault }: LookupDeps): Lookup {
  const answers = createSingleFlight<LookupAnswer>()
  const readings = createSingleFlight<ReadResult>()

  async function readAndStore(url: URL, budget: Budget, trace?: FetchTrace) {
    const reading = await read(url, budget, trace)
    const json = JSON.stringify(reading.result)
    const answer: LookupAnswer = { json, cached: false, isProvisional: reading.isProvisional }
    // Nobody waits for the disk: a locked database must not outlast a caller's timeout.
    const storing = reading.isProvisional
      ? Promise.resolve()
      : cache.put(cacheKeyOf(url), { json, storedAtMs: now() }).catch(onStoreFault)
    return { reading, answer, storing }
  }

  /**
   * Reads the page unless another process does, and then waits for what that one stores. When it stores nothing, because
   * it failed or died, this one takes the lease.
   */
  async function readOnce(url: URL, cacheKey: string, budget: Budget, trace?: FetchTrace): Promise<LookupAnswer> {
    for (;;) {
      const lease = await leases.acquire(cacheKey)
      // Another process may have stored the result after it was looked for.
      const stored = lease === null || lease.isShared ? await findStored({ cacheKey, readCache: true }) : null
      if (stored !== null) {
        void lease?.release()
        return stored
      }
      if (lease !== null) {
        const done = readAndStore(url, budget, trace)
        // Once it is stored, so that whoever takes the lease next finds it.
        void done
          .then(({ storing }) => storing)
          .catch(() => {})
          .finally(() => lease.release())
        return (await done).answer
      }
      await wait(POLL_MS)
      budget.signal.throwIfAborted()
    }
  }

  const findStored: Lookup['stored'] = async ({ cacheKey, readCache }) => {
    const found = readCache ? await cache.get(cacheKey) : null
    if (!found || !isFresh(found.storedAtMs, now(), ttlMs)) return null
    return { json: found.json, cached: true, layer: found.layer, isProvisional: false }
  }

  return {
    stored: findStored,

    async get({ url, cacheKey, readCache, ...waitOptions }, trace) {
      const stored = await findStored({ cacheKey, readCache })
      if (stored !== null) return stored
      return await answers.join(readCache ? cacheKey : null, waitOptions, async (budget) =>
        readCache ? await readOnce(url, cacheKey, budget, trace) : (await readAndStore(url, budget, trace)).answer,
      )
    },

    async read({ url, ...waitOptions }, trace) {
      return await readings.join(null, waitOptions, async (budget) => (await readAndStore(url, budget, trace)).reading)
    },
  }
}
