import type { FetchLeases } from '../../core/fetch/leases.ts'

/** For a single process, where single flight is enough: every lease is free. */
export const localFetchLeases: FetchLeases = { acquire: async () => ({ isShared: false, release: async () => {} }) }
