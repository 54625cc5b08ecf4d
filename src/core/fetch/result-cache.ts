import { createHash } from 'node:crypto'

import { splitCacheKey } from '../net/url.ts'

/** A stored result: the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
  /** The JSON text of its `ResultDetails`, for the playground and `fields`; absent when they were too large. */
  details?: string
}

/** The stored result in a row of a table. */
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
  /** The part of its cache key after the URL, see `splitCacheKey`. */
  variant: string
}

export interface ResultCache {
  /** The stored result, which may have expired. Without `withDetails`, its details may be missing, to save memory. */
  get(cacheKey: string, options?: { withDetails: boolean }): FoundResult | null | Promise<FoundResult | null>
  /** Stores or replaces a result. Deletes the oldest results when there are too many. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  /** The number of stored results. */
  count(): Promise<number>
  /**
   * Deletes results stored before `storedBeforeMs`, and those stored after `storedAfterMs` while the clock was ahead.
   * Works in small steps; returns how many were deleted.
   */
  sweep(storedBeforeMs: number, storedAfterMs: number): Promise<number>
  /** All results of a page, in all languages, including expired ones. `page` is its cache key without a variant. */
  variantsOf(page: string): Promise<readonly StoredVariant[]>
  /** Deletes a page's results; returns how many. If `announce`, other processes get the page from `deletedPages`. */
  deletePage(page: string, announce: boolean): Promise<number>
  /** The pages whose deletion other processes have announced since the previous call. */
  deletedPages(): Promise<readonly string[]>
}

/** A cache key with the SHA-256 instead of the URL, which can have 8 KB; the variant is unchanged. */
export function hashedCacheKey(cacheKey: string, encoding: 'hex' | 'base64url'): string {
  const { page, variant } = splitCacheKey(cacheKey)
  return createHash('sha256').update(page).digest(encoding) + variant
}
