import type { AddressRange } from './address.ts'
import type { PlanName } from './plan.ts'

/** The owner of an active key and their plan. Read from the store for every request. */
export interface KeyOwner {
  keyId: string
  userId: string
  plan: PlanName
  /** Whether host and path of requests are written to the user's request log. */
  logsUrls: boolean
  /** Unix milliseconds from which the key is refused, compared by the caller; null for none. */
  expiresAtMs: number | null
  /** Empty for every host. */
  allowedHosts: readonly string[]
  /** The parsed `allowedAddresses`; empty for every address. */
  allowedRanges: readonly AddressRange[]
}

/** Limits the keys that a user creates in a time, whatever has become of them. */
export interface RecentKeys {
  max: number
  sinceMs: number
}
