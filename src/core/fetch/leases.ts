/** The exclusive right to fetch a page, which one process has at a time. */
export interface FetchLease {
  /** Whether other processes take such leases: one of them may have stored a result since the cache was read. */
  readonly isShared: boolean
  /** Releases the lease. Never rejects; a lease that is not released expires. */
  release(): Promise<void>
}

/** Leases on pages, shared by all processes. */
export interface FetchLeases {
  /** Takes the lease of a page; null while another process has it. Does not wait. */
  acquire(cacheKey: string): Promise<FetchLease | null>
}
