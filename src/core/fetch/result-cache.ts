import { createHash } from 'node:crypto'

import { splitCacheKey } from '../net/url.ts'

/** `json` is the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
  /** The JSON text of the `ResultDetails`, for the playground and `fields`; absent if the text was too large. */
  details?: string
}

export function resultOfRow(row: Omit<StoredResult, 'details'> & { details: string | null }): StoredResult {
  const { json, storedAtMs, details } = row
  return { json, storedAtMs, ...(details !== null && { details }) }
}

export const CACHE_LAYERS = ['memory', 'database', 'redis'] as const
export type CacheLayer = (typeof CACHE_LAYERS)[number]

export interface FoundResult extends StoredResult {
  layer: CacheLayer
}

export interface StoredVariant extends StoredResult {
  /** The part of the cache key after the URL; see `splitCacheKey`. */
  variant: string
}

export interface ResultCache {
  /** The stored result, which may have expired. Without `withDetails`, the details may be missing, to save memory. */
  get(cacheKey: string, options?: { withDetails: boolean }): FoundResult | null | Promise<FoundResult | null>
  /** Stores or replaces a result. If there are too many results, deletes the oldest. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  count(): Promise<number>
  /**
   * Deletes results stored before `storedBeforeMs`, and results stored after `storedAfterMs` while the clock was ahead.
   * Works in small steps. Returns the number of deleted results.
   */
  sweep(storedBeforeMs: number, storedAfterMs: number): Promise<number>
  /** All results of a page, in all languages, including expired results. `page` is the cache key without a variant. */
  variantsOf(page: string): Promise<readonly StoredVariant[]>
  /**
   * Deletes a page's results and returns their number. With `announce`, other processes get the page from
   * `deletedPages`.
   */
  deletePage(page: string, announce: boolean): Promise<number>
  /** The pages whose deletion other processes have announced since the previous call. */
  deletedPages(): Promise<readonly string[]>
}

/** Replaces the URL in a cache key, which can have 8 KB, with its SHA-256. The variant is unchanged. */
export function hashedCacheKey(cacheKey: string, encoding: 'hex' | 'base64url'): string {
  const { page, variant } = splitCacheKey(cacheKey)
  return createHash('sha256').update(page).digest(encoding) + variant
}
