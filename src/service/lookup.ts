import { isFresh } from '../core/freshness.ts'
import type { Budget, ResultCache } from '../core/ports.ts'
import { cacheKeyOf } from '../core/url.ts'
import type { FetchTrace } from '../core/trace.ts'
import { createSingleFlight, type WaitOptions } from './single-flight.ts'
import type { ReadResult } from './reader.ts'

export interface LookupRequest extends WaitOptions {
  url: URL
  /** When false, neither a cached result nor a pending fetch is used; the fresh result is cached. */
  readCache: boolean
}

export interface LookupAnswer {
  /** The JSON text of a `PageResult`, byte for byte as stored. */
  json: string
  cached: boolean
  /** The same request may get a better answer later; this one is not stored. */
  isProvisional: boolean
}

/** Returns a cached result, or reads the page and caches the result unless it is provisional. */
export interface Lookup {
  /**
   * The way to the page is noted in `trace`, unless the answer was stored or another request's fetch was joined.
   * @throws FetchError; AppError `client_closed`
   */
  get(request: LookupRequest, trace?: FetchTrace): Promise<LookupAnswer>
  /** The JSON text of what is stored for the URL, if it is fresh enough to be answered. */
  peek(url: URL): Promise<string | null>
  /**
   * Reads the page anew and alone, so that it can be told how the result came about; stores it like any other.
   * @throws FetchError; AppError `client_closed`
   */
  read(request: LookupRequest, trace: FetchTrace): Promise<ReadResult>
}

export interface LookupDeps {
  cache: ResultCache
  /** Reads the page itself. */
  read: (url: URL, budget: Budget, trace?: FetchTrace) => Promise<ReadResult>
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
  /** A result could not be stored; its answer goes out all the same. */
  onStoreFault: (error: unknown) => void
}

export function createLookup({ cache, read, ttlMs, now, onStoreFault }: LookupDeps): Lookup {
  const singleFlight = createSingleFlight<{ reading: ReadResult; json: string }>()

  async function readAndStore(url: URL, budget: Budget, trace?: FetchTrace) {
    const reading = await read(url, budget, trace)
    const json = JSON.stringify(reading.result)
    // Nobody waits for the disk: a locked database must not outlast a caller's timeout.
    if (!reading.isProvisional) void cache.put(cacheKeyOf(url), { json, storedAtMs: now() }).catch(onStoreFault)
    return { reading, json }
  }

  async function peek(url: URL): Promise<string | null> {
    const stored = await cache.get(cacheKeyOf(url))
    return stored && isFresh(stored.storedAtMs, now(), ttlMs) ? stored.json : null
  }

  return {
    async get({ url, readCache, ...waitOptions }, trace) {
      const stored = readCache ? await peek(url) : null
      if (stored !== null) return { json: stored, cached: true, isProvisional: false }
      const { json, reading } = await singleFlight.join(readCache ? cacheKeyOf(url) : null, waitOptions, (budget) =>
        readAndStore(url, budget, trace),
      )
      return { json, cached: false, isProvisional: reading.isProvisional }
    },

    peek,

    async read({ url, ...waitOptions }, trace) {
      return (await singleFlight.join(null, waitOptions, (budget) => readAndStore(url, budget, trace))).reading
    },
  }
}
