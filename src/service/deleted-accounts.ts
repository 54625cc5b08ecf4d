import type { IdentityKey } from '../core/identity.ts'
import { monthOf } from '../core/period.ts'
import { sign } from '../core/token.ts'
import type { DeletedAccountUsage } from '../core/usage-ports.ts'

/** A user, and what the same person would be known by if they signed up again. */
export interface KnownPerson {
  userId: string
  email: string
  identities: readonly IdentityKey[]
}

/** Carries the usage of a month from an account that was deleted to the one its owner makes next. */
export interface DeletedAccounts {
  /** Deletes all usage of a user who was deleted, and keeps how much of the month they had used. */
  forget(person: KnownPerson): Promise<void>
  /** Counts what the person had used of this month before they deleted an account, if they did. */
  resume(person: KnownPerson): Promise<void>
}

export interface DeletedAccountsDeps {
  usage: DeletedAccountUsage
  /** Keys the hashes: without it, a copy of the database does not tell whether an address had an account. */
  secret: Uint8Array
  /** Unix milliseconds. */
  now: () => number
}

export function createDeletedAccounts({ usage, secret, now }: DeletedAccountsDeps): DeletedAccounts {
  const hashesOf = ({ email, identities }: KnownPerson) => [
    sign(secret, 'deleted-account', 'email', email),
    ...identities.map(({ issuer, subject }) => sign(secret, 'deleted-account', 'identity', issuer, subject)),
  ]

  return {
    forget: (person) => usage.forget(person.userId, hashesOf(person), monthOf(now())),
    resume: (person) => usage.resume(person.userId, hashesOf(person), monthOf(now())),
  }
}
