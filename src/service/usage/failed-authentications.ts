import type { Address } from '../../core/net/address.ts'
import { addressBlock } from '../../core/net/client-address.ts'
import { type RateLimiter, requireWithinLimit } from '../../core/usage/rate-limiter.ts'

/**
 * Per client address. Hundreds of clients with an expired key may share the address of an office or of a cloud's NAT
 * gateway. A client that repeats failed requests in a loop sends thousands per second.
 */
export const FAILURES_PER_MINUTE = 1_000

/** Limits failures per client address. Requests with a valid key or token are not counted. */
export type FailedAuthentications = ReturnType<typeof createFailedAuthentications>

export function createFailedAuthentications({ limiter, now }: { limiter: RateLimiter; now: () => number }) {
  return {
    /** All unknown addresses (null) count as one client. @throws ClientLimitError */
    count(client: Address | null) {
      const failures = { key: addressBlock(client), limit: FAILURES_PER_MINUTE }
      return requireWithinLimit(limiter, 'authentication_limit', failures, now())
    },
  }
}
