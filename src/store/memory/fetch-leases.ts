import type { FetchLease, FetchLeases } from '../../core/fetch/leases.ts'

const LEASE: FetchLease = { isShared: false, release: async () => {} }

/** For a single process, where single flight is enough: every lease is free. */
export const localFetchLeases: FetchLeases = { acquire: async () => LEASE }
