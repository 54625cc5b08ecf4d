/** The exclusive right to fetch a page. Only one process at a time has the lease of a page. */
export interface FetchLease {
  /**
   * Whether other processes take such leases. If so, another process may have stored a result since the cache was read.
   */
  readonly isShared: boolean
  /** Releases the lease. Never rejects; a lease that is not released expires. */
  release(): Promise<void>
}

/** All processes share the leases. */
export interface FetchLeases {
  /** Takes the lease of a page; null if another process has the lease. Does not wait. */
  acquire(cacheKey: string): Promise<FetchLease | null>
}

/** For a single process, where single flight is enough. Every lease is free. */
export const UNSHARED_LEASES: FetchLeases = { acquire: async () => ({ isShared: false, release: async () => {} }) }
