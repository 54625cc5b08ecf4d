import { isFresh } from '../core/freshness.ts'
import type { PageResult } from '../core/metadata.ts'
import type { Budget, ResultCache } from '../core/ports.ts'
import { cacheKeyOf } from '../core/url.ts'
import { createFlights, type Patience } from './flights.ts'

export interface LookupRequest extends Patience {
  url: URL
  /** When false, neither a cached result nor a fetch under way is used; the fresh result is stored all the same. */
  readCache: boolean
}

export interface LookupAnswer {
  /** The JSON text of a `PageResult`, byte for byte as stored. */
  json: string
  cached: boolean
}

export interface Lookup {
  /** @throws FetchError; AppError `client_closed` */
  get(request: LookupRequest): Promise<LookupAnswer>
}

export interface LookupParts {
  cache: ResultCache
  /** Reads the page itself. */
  read: (url: URL, budget: Budget) => Promise<PageResult>
  ttlMs: number
  /** Unix milliseconds. */
  now: () => number
  /** A result could not be stored; its answer goes out all the same. */
  onStoreFault: (error: unknown) => void
}

export function createLookup({ cache, read, ttlMs, now, onStoreFault }: LookupParts): Lookup {
  const flights = createFlights<string>()

  async function readAndStore(url: URL, cacheKey: string, budget: Budget): Promise<string> {
    const json = JSON.stringify(await read(url, budget))
    await cache.put(cacheKey, { json, storedAtMs: now() }).catch(onStoreFault)
    return json
  }

  return {
    async get({ url, readCache, ...patience }) {
      const cacheKey = cacheKeyOf(url)
      const stored = readCache ? await cache.get(cacheKey) : null
      if (stored && isFresh(stored.storedAtMs, now(), ttlMs)) return { json: stored.json, cached: true }

      const json = await flights.join(readCache ? cacheKey : null, patience, (budget) =>
        readAndStore(url, cacheKey, budget),
      )
      return { json, cached: false }
    },
  }
}
