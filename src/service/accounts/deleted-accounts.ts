import type { IdentityKey, KnownAccount } from '../../core/accounts/identity.ts'
import { allKeysRateLimitKey, playgroundRateLimitKey, type RateLimiter } from '../../core/usage/rate-limiter.ts'
import { monthOf } from '../../core/period.ts'
import type { System } from '../../core/system.ts'
import { sign } from '../../core/accounts/token.ts'
import type { DeletedAccountUsage } from '../../core/usage/ports.ts'

/** An account, with the address and identities by which a later account of the same person is recognized. */
export type AccountOwner = Pick<KnownAccount, 'userId' | 'email'> & { identities: readonly IdentityKey[] }

/**
 * Transfers the usage of the current minute and month from a deleted account to the next account of the same person.
 */
export type DeletedAccounts = ReturnType<typeof createDeletedAccounts>

export interface DeletedAccountsDeps extends Pick<System, 'now'> {
  usage: DeletedAccountUsage
  limiter: RateLimiter
  /** The key of the HMAC, so that a copy of the database does not reveal whether an address had an account. */
  secret: Uint8Array
}

/** The rate limits that a later account of the same person continues. */
const RATE_LIMIT_KEYS = [allKeysRateLimitKey, playgroundRateLimitKey]

export function createDeletedAccounts({ usage, limiter, secret, now }: DeletedAccountsDeps) {
  const hashesOf = ({ email, identities }: AccountOwner) => [
    sign(secret, 'deleted-account', 'email', email),
    ...identities.map(({ issuer, subject }) => sign(secret, 'deleted-account', 'identity', issuer, subject)),
  ]

  const storing = (write: DeletedAccountUsage['keep']) => async (owner: AccountOwner) => {
    const hashes = hashesOf(owner)
    for (const keyOf of RATE_LIMIT_KEYS) await limiter.raise([keyOf(owner.userId)], hashes.map(keyOf), now())
    await write(owner.userId, hashes, monthOf(now()))
  }

  return {
    /** Stores the totals of the current minute and month of a user who is about to be deleted. */
    keep: storing(usage.keep),

    /** Deletes all usage of a deleted user, except for the totals of the current minute and month. */
    archive: storing(usage.archive),

    /** Applies the totals kept from the person's deleted accounts, if there are any, to the user. */
    async restore(owner: AccountOwner) {
      const hashes = hashesOf(owner)
      for (const keyOf of RATE_LIMIT_KEYS) await limiter.raise(hashes.map(keyOf), [keyOf(owner.userId)], now())
      await usage.restore(owner.userId, hashes, monthOf(now()))
    },
  }
}
