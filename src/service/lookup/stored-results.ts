import { isFresh } from '../../core/fetch/freshness.ts'
import type { Caller } from '../../core/fetch/ports.ts'
import type { CacheLayer, FoundResult, ResultCache, StoredResult } from '../../core/fetch/result-cache.ts'
import { parseDetails } from '../../core/fetch/result-details.ts'
import { splitCacheKey, type Target } from '../../core/net/url.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'

/** A request for a cached result. */
export interface StoredRequest extends Pick<Target, 'cacheKey'>, Pick<Caller, 'publicOnly'> {
  /** When false, no cached result is used. */
  readCache: boolean
  /**
   * A part of the details without which a cached result is not used. Those of earlier versions have no `extra`, and
   * only those of the playground's own fetches have `tags`.
   */
  needs?: 'extra' | 'tags' | undefined
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

export interface StoredResultsDeps {
  cache: ResultCache
  ttlMs: number
  /** A part of each key: a result, which may be of a private host, is only used under the same allow-list. */
  settings: CurrentSettings<'allowListId'>
  now: () => number
  /** Called when the cache could not be read. The page is fetched instead. */
  onReadFault: (error: unknown) => void
  /** Called when a result could not be cached. The response is sent anyway. */
  onStoreFault: (error: unknown) => void
}

/** Reads results from the cache and stores new ones, unless they are outdated by the time they arrive. */
export function createStoredResults({ cache, ttlMs, settings, now, onReadFault, onStoreFault }: StoredResultsDeps) {
  const reads = new Set<{ readonly key: string; isOutdated: boolean }>()

  // Without an allow-list, all requests share results.
  const keyOf = (cacheKey: string, { publicOnly }: Pick<Caller, 'publicOnly'>) =>
    cacheKey + (publicOnly ? '' : settings().allowListId)

  function asMiss(error: unknown) {
    onReadFault(error)
    return null
  }

  function freshOf(found: FoundResult | null): CachedReadResult | null {
    if (found === null || !isFresh(found.storedAtMs, now(), ttlMs)) return null
    const fresh: CachedReadResult = { json: found.json, cached: true, layer: found.layer, isProvisional: false }
    if (found.details !== undefined) fresh.details = found.details
    return fresh
  }

  return {
    keyOf,

    /** The cached result, if the request allows one and it has not expired. */
    find(request: StoredRequest) {
      const { cacheKey, readCache, needs, withDetails = needs !== undefined } = request
      const found = readCache ? cache.get(keyOf(cacheKey, request), { withDetails }) : null
      const accepted = (row: FoundResult | null) =>
        needs === undefined || parseDetails(row?.details)?.[needs] !== undefined ? freshOf(row) : null
      return found instanceof Promise ? found.catch(asMiss).then(accepted) : accepted(found)
    },

    /**
     * Registers a page that is being fetched, until the returned object is disposed. `store` does nothing if the page
     * was deleted or the allow-list changed in the meantime: some of the requests may have been allowed by the old list
     * only.
     */
    pending(cacheKey: string, caller: Pick<Caller, 'publicOnly'>) {
      const read = { key: keyOf(cacheKey, caller), isOutdated: false }
      reads.add(read)
      return {
        store(result: Pick<StoredResult, 'json' | 'details'>): Promise<void> {
          if (read.isOutdated || read.key !== keyOf(cacheKey, caller)) return Promise.resolve()
          return cache.put(read.key, { ...result, storedAtMs: now() }).catch(onStoreFault)
        },
        [Symbol.dispose]: () => void reads.delete(read),
      }
    },

    async deletePage(page: string) {
      for (const read of reads) read.isOutdated ||= splitCacheKey(read.key).page === page
      await cache.deletePage(page, false)
    },
  }
}
