/*
 * Storage interfaces for limits per minute, cached results and other state that can be rebuilt, in memory, in the database
 * or in Redis. Times are Unix milliseconds.
 */

/** A counter of requests per clock minute, such as those of a key, and its limit. */
export interface MinuteCount {
  key: string
  limit: number
}

/** The state of the current clock minute, after a request was counted or refused. */
export interface RateLimitStatus {
  allowed: boolean
  /** Requests left in the minute, by the strictest of the counters. */
  remaining: number
  /** When the next window starts, in Unix seconds by the clock of the caller. */
  resetsAt: number
}

export interface RateLimiter {
  /**
   * Counts one request in every counter, or in none if one of them has reached its limit in this clock minute, which may be
   * that of another clock than the caller's. Atomic.
   */
  take(counts: readonly MinuteCount[], nowMs: number): Promise<RateLimitStatus>
  /** Raises each count of `to` to the highest count of `from` in this clock minute. */
  carry(from: readonly string[], to: readonly string[], nowMs: number): Promise<void>
}

/** A stored result: the JSON text of a `PageResult`, after the `allowListId` that it was fetched under. */
export interface StoredResult {
  json: string
  storedAtMs: number
  /** The JSON text of its `ResultDetails`, for the playground; absent when they were too large. */
  details?: string
}

/** Where a stored result was found. */
export type CacheLayer = 'memory' | 'database' | 'redis'

export interface FoundResult extends StoredResult {
  layer: CacheLayer
}

export interface ResultCache {
  /**
   * The stored result, which may have expired. Its details, which take more memory than the result, may be missing unless
   * `withDetails` is set.
   */
  get(cacheKey: string, options?: { withDetails: boolean }): Promise<FoundResult | null>
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

/** The exclusive right to fetch a page, which one process has at a time. */
export interface FetchLease {
  /** Whether other processes take such leases: one of them may have stored a result since the cache was read. */
  readonly isShared: boolean
  /** Releases the lease. Never rejects; a lease that is not released expires. */
  release(): Promise<void>
}

/** Leases of pages among all processes. */
export interface FetchLeases {
  /** Takes the lease of a page; null while another process has it. Does not wait. */
  acquire(cacheKey: string): Promise<FetchLease | null>
}

/** Results of the playground, kept for a while so that their pages can be reloaded. */
export interface PlaygroundResults {
  /**
   * Stores or replaces a result. Deletes the oldest results of the user, and then those of all users, when there are
   * too many or they are too large. A result that is too large alone is not stored.
   */
  put(result: { id: string; userId: string; json: string; expiresAtMs: number }): Promise<void>
  /** The text of the user's result; null when it is unknown, expired or another user's. */
  get(userId: string, id: string, nowMs: number): Promise<string | null>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}

/** Records which hosts have pages that need a browser. The number of hosts is limited. Never throws. */
export interface RenderHistory {
  /** Whether the last pages of the host needed a browser. */
  needsBrowser(host: string): boolean
  /** Records whether a page of the host needed a browser. If not, the host is removed. */
  note(host: string, neededBrowser: boolean): void
}

/** A host whose last pages needed a browser. */
export interface RenderedHost {
  /** With its port, if that is not the default. */
  host: string
  /** Unix milliseconds of a recent page that needed a browser. Not updated with every page. */
  confirmedAtMs: number
}

/** Keeps the hosts of `RenderHistory` across restarts. The number of hosts is limited. */
export interface RenderedHosts {
  /** All hosts, the most recently confirmed first. */
  list(): Promise<RenderedHost[]>
  /** Stores or updates a host. Deletes the least recently confirmed hosts when there are too many. */
  put(host: RenderedHost): Promise<void>
  delete(host: string): Promise<void>
  /**
   * Deletes hosts confirmed before `confirmedBeforeMs`, and those confirmed after `confirmedAfterMs` while the clock
   * was ahead; returns how many.
   */
  sweep(confirmedBeforeMs: number, confirmedAfterMs: number): Promise<number>
}

/** The robots.txt files that were read, by origin. Their memory is limited. */
export interface RobotsCache {
  /** Null when it was not read, or was removed to make room for newer ones. */
  get(origin: string): { text: string; readAtMs: number } | null
  put(origin: string, file: { text: string; readAtMs: number }): void
}
