import type { FoundResult, ResultCache, StoredResult } from '../../core/fetch/result-cache.ts'
import { STEP_ROWS } from './in-steps.ts'

/**
 * How long a result waits for others, in milliseconds. A transaction takes 0.1 ms, about as long as storing 10 results
 * in it. Responses do not wait for the cache, so the delay holds up nothing.
 */
const BATCH_MS = 20

/** The maximum number of results in one transaction, so that it takes no longer than a step of a sweep. */
const MAX_BATCH = STEP_ROWS

export interface KeyedResult extends StoredResult {
  cacheKey: string
}

/** A cache that stores several results in one transaction. */
export interface BatchResultCache extends Omit<ResultCache, 'put'> {
  putAll(results: readonly KeyedResult[]): Promise<void>
}

interface Batch {
  /** By cache key. */
  results: Map<string, StoredResult>
  /** Resolves when the batch is stored; rejects if storing it failed. */
  written: Promise<void>
  write(): void
}

/**
 * Collects results for `BATCH_MS` and stores them in one transaction. Collected results are found before they are
 * stored. Disposing writes the last batch immediately.
 */
export function batchPuts({ putAll, ...cache }: BatchResultCache): ResultCache & Disposable {
  let open: Batch | null = null

  function startBatch(): Batch {
    const results: Batch['results'] = new Map()
    const { promise: written, resolve, reject } = Promise.withResolvers<void>()
    const write = () => {
      clearTimeout(timer)
      open = null
      putAll([...results].map(([cacheKey, result]) => ({ cacheKey, ...result }))).then(resolve, reject)
    }
    const timer = setTimeout(write, BATCH_MS)
    return { results, written, write }
  }

  return {
    ...cache,
    async get(cacheKey, options): Promise<FoundResult | null> {
      const waiting = open?.results.get(cacheKey)
      return waiting ? { ...waiting, layer: 'memory' } : await cache.get(cacheKey, options)
    },
    put(cacheKey, result) {
      const batch = (open ??= startBatch())
      batch.results.set(cacheKey, result)
      if (batch.results.size === MAX_BATCH) batch.write()
      return batch.written
    },
    async deletePage(page, announce) {
      const batch = open
      batch?.write()
      // `put` reports the failure of the batch.
      await batch?.written.catch(() => {})
      return await cache.deletePage(page, announce)
    },
    [Symbol.dispose]: () => open?.write(),
  }
}
