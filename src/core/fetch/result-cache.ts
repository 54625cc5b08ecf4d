/** A stored result: the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
  /** The JSON text of its `ResultDetails`, for the playground; absent when they were too large. */
  details?: string
}

/** Where a stored result was found. */
export const CACHE_LAYERS = ['memory', 'database', 'redis'] as const
export type CacheLayer = (typeof CACHE_LAYERS)[number]

export interface FoundResult extends StoredResult {
  layer: CacheLayer
}

export interface ResultCache {
  /**
   * The stored result, which may have expired. Its details, which take more memory than the result, may be missing unless
   * `withDetails` is set.
   */
  get(cacheKey: string, options?: { withDetails: boolean }): FoundResult | null | Promise<FoundResult | null>
  /** Stores or replaces a result. Deletes the oldest results when there are too many. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  /** The number of stored results. */
  count(): Promise<number>
  /**
   * Deletes results stored before `storedBeforeMs`, and those stored after `storedAfterMs` while the clock was ahead.
   * Works in small steps; returns how many were deleted.
   */
  sweep(storedBeforeMs: number, storedAfterMs?: number): Promise<number>
}
