import type { Identities, Identity, Keys, Sessions, User, Users } from '../core/account-ports.ts'
import type { IdentityKey } from '../core/identity.ts'
import { monthOf } from '../core/period.ts'
import type { Usage } from '../core/usage-ports.ts'

/** A user's own account: what is kept of it, and its end. */
export interface Profiles {
  identities(userId: string): Promise<Identity[]>
  /**
   * Sign-in by it opens the account no longer. The last one stays: with it gone, the same person could make account after
   * account, each with a month of its own.
   */
  removeIdentity(userId: string, key: IdentityKey): Promise<'removed' | 'unknown' | 'last'>
  /** Everything that is kept of the user, with the names and spelling of the API's JSON. */
  export(user: User): Promise<object>
  /** Forgets the user at once: the next request with one of their keys gets 401. */
  remove(userId: string): Promise<void>
}

export interface ProfilesParts {
  users: Users
  identities: Identities
  keys: Keys
  sessions: Sessions
  usage: Usage
  /** Unix milliseconds. */
  now: () => number
}

/** Before every day that can have been counted. */
const FIRST_DAY = '0000-01-01'

export function createProfiles({ users, identities, keys, sessions, usage, now }: ProfilesParts): Profiles {
  return {
    identities: (userId) => identities.list(userId),
    removeIdentity: (userId, key) => identities.remove(userId, key),

    async export({ id, email, name, plan, createdAtMs }) {
      const [known, { keys: owned }, open, months, days] = await Promise.all([
        identities.list(id),
        keys.listOf(id, monthOf(now())),
        sessions.list(id, now()),
        usage.months(id),
        usage.dailyOfUser(id, FIRST_DAY),
      ])
      return {
        exported_at: iso(now()),
        account: { id, email, name, plan, created_at: iso(createdAtMs) },
        identities: known.map((identity) => ({
          issuer: identity.issuer,
          subject: identity.subject,
          account: identity.account,
          email: identity.email,
          connected_at: iso(identity.createdAtMs),
        })),
        keys: owned.map((key) => ({
          id: key.id,
          name: key.name,
          last_four: key.lastFour,
          created_at: iso(key.createdAtMs),
          last_used_at: iso(key.lastUsedAtMs),
          deactivated_at: iso(key.deactivatedAtMs),
        })),
        sessions: open.map((session) => ({
          id: session.id,
          user_agent: session.userAgent,
          created_at: iso(session.createdAtMs),
          last_seen_at: iso(session.lastSeenAtMs),
          expires_at: iso(session.expiresAtMs),
        })),
        usage: {
          months,
          days: days.map(({ day, answers, cacheHits, failures }) => ({
            day,
            answers,
            cache_hits: cacheHits,
            failures,
          })),
        },
      }
    },

    async remove(userId) {
      await users.remove(userId, now())
    },
  }
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
