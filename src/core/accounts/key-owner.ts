import type { AddressRange } from '../net/address.ts'
import type { PlanName } from '../plan.ts'
import type { AllowLists } from './key-settings.ts'

/** The owner of an active key and their plan. Read from the store for every request. */
export interface KeyOwner extends Omit<AllowLists, 'allowedAddresses'> {
  keyId: string
  userId: string
  plan: PlanName
  /** Whether host and path of requests are written to the user's request log. */
  logsUrls: boolean
  /** The expiry in Unix milliseconds, compared by the caller; null when the key does not expire. */
  expiresAtMs: number | null
  /** The parsed `allowedAddresses`; empty allows every address. */
  allowedRanges: readonly AddressRange[]
}

/** Limits how many keys a user creates in a period. Keys that were deactivated since are counted too. */
export interface RecentKeys {
  max: number
  sinceMs: number
}
