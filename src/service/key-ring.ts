import type { Keys, KeyWithUse, User } from '../core/account-ports.ts'
import { API_KEY_BYTES, formatApiKey, hashApiKey, lastFourOf } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { monthOf } from '../core/period.ts'
import type { Plans } from '../core/plan.ts'

/** A key name longer than this is no name; it bounds what a list has to show. */
const MAX_KEY_NAME_CHARACTERS = 100

/** The keys of one user. */
export interface KeyRing {
  /**
   * Makes a key. The key itself is returned this once and cannot be read again.
   * @throws AppError `invalid_request` for a bad name; `key_limit` at the most active keys that the plan allows
   */
  issue(user: User, name: string): Promise<{ id: string; key: string; lastFour: string }>
  /** Oldest first, each with its answers of this month. */
  list(userId: string): Promise<KeyWithUse[]>
  /** Deactivates a key of the user. @throws AppError `not_found`, also for the keys of others */
  deactivate(userId: string, keyId: string): Promise<void>
}

export interface KeyRingParts {
  keys: Keys
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createKeyRing({ keys, plans, now, newId, randomBytes }: KeyRingParts): KeyRing {
  return {
    async issue(user, name) {
      const key = formatApiKey(randomBytes(API_KEY_BYTES))
      const id = newId()
      const lastFour = lastFourOf(key)
      const record = { id, userId: user.id, name: parseKeyName(name), hash: hashApiKey(key), lastFour }
      const { maxKeys, label } = plans[user.plan]
      if (!(await keys.create({ ...record, createdAtMs: now() }, maxKeys))) {
        throw new AppError(
          'key_limit',
          `${user.email} already has ${maxKeys} active keys, the most the ${label} plan allows: ` +
            'deactivate one or change the plan',
        )
      }
      return { id, key, lastFour }
    },

    list: (userId) => keys.listOf(userId, monthOf(now())),

    async deactivate(userId, keyId) {
      if (!(await keys.deactivate(keyId, now(), userId))) throw new AppError('not_found', 'You have no such key')
    },
  }
}

/** @throws AppError `invalid_request` */
export function parseKeyName(text: string): string {
  const name = text.trim()
  if (name && name.length <= MAX_KEY_NAME_CHARACTERS) return name
  throw new AppError('invalid_request', `A key's name has 1 to ${MAX_KEY_NAME_CHARACTERS} characters`)
}
