import type { IdentityKey } from '../core/identity.ts'
import { keysMinute, playgroundMinute } from '../core/minute-names.ts'
import { monthOf } from '../core/period.ts'
import type { RateLimiter } from '../core/ports.ts'
import { sign } from '../core/token.ts'
import type { DeletedAccountUsage } from '../core/usage-ports.ts'

/** A user, and what the same person would be known by if they signed up again. */
export interface KnownPerson {
  userId: string
  email: string
  identities: readonly IdentityKey[]
}

/** Carries what was used of the minute and the month from an account that was deleted to the one its owner makes next. */
export interface DeletedAccounts {
  /** Deletes all usage of a user who was deleted, and keeps how much of the minute and the month they had used. */
  forget(person: KnownPerson): Promise<void>
  /** Counts what the person had used of this minute and month before they deleted an account, if they did. */
  resume(person: KnownPerson): Promise<void>
}

export interface DeletedAccountsDeps {
  usage: DeletedAccountUsage
  limiter: RateLimiter
  /** Keys the hashes: without it, a copy of the database does not tell whether an address had an account. */
  secret: Uint8Array
  /** Unix milliseconds. */
  now: () => number
}

const MINUTES = [keysMinute, playgroundMinute]

export function createDeletedAccounts({ usage, limiter, secret, now }: DeletedAccountsDeps): DeletedAccounts {
  const hashesOf = ({ email, identities }: KnownPerson) => [
    sign(secret, 'deleted-account', 'email', email),
    ...identities.map(({ issuer, subject }) => sign(secret, 'deleted-account', 'identity', issuer, subject)),
  ]

  return {
    async forget(person) {
      const hashes = hashesOf(person)
      for (const nameOf of MINUTES) await limiter.carry([nameOf(person.userId)], hashes.map(nameOf), now())
      await usage.forget(person.userId, hashes, monthOf(now()))
    },

    async resume(person) {
      const hashes = hashesOf(person)
      for (const nameOf of MINUTES) await limiter.carry(hashes.map(nameOf), [nameOf(person.userId)], now())
      await usage.resume(person.userId, hashes, monthOf(now()))
    },
  }
}
