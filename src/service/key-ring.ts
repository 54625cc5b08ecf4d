import type { Keys, KeyWithUse, User } from '../core/account-ports.ts'
import { API_KEY_BYTES, formatApiKey, hashApiKey, lastFourOf } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { parseKeyName } from '../core/key-name.ts'
import { monthOf } from '../core/period.ts'
import type { Plans } from '../core/plan.ts'

/** A UUID, as all ids are. */
const ONCE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** The keys of one user. */
export interface KeyRing {
  /**
   * Makes a key. The key itself is returned this once and cannot be read again. Of one `once` only one key is made.
   * @throws AppError `invalid_request` for a bad name; `key_limit` at the most active keys that the plan allows, and for
   * a `once` that has made its key
   */
  issue(user: User, name: string, once?: string): Promise<{ id: string; key: string; lastFour: string }>
  /** A new `once`, for a form. */
  newOnce(): string
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
    async issue(user, name, once = '') {
      const key = formatApiKey(randomBytes(API_KEY_BYTES))
      // What the form is known by becomes the id of its key, so that the store itself tells a repeated one.
      const id = ONCE.test(once) ? once : newId()
      const lastFour = lastFourOf(key)
      const record = { id, userId: user.id, name: parseKeyName(name), hash: hashApiKey(key), lastFour }
      const { maxKeys, label } = plans[user.plan]
      const outcome = await keys.create({ ...record, createdAtMs: now() }, maxKeys)
      if (outcome === 'repeated') {
        throw new AppError(
          'key_limit',
          'This form has made its key already, and a key is shown only once: deactivate it and make another if it is lost',
        )
      }
      if (outcome === 'too_many') {
        throw new AppError(
          'key_limit',
          `${user.email} already has ${maxKeys} active keys, the most the ${label} plan allows: ` +
            'deactivate one or change the plan',
        )
      }
      return { id, key, lastFour }
    },

    newOnce: newId,

    list: (userId) => keys.listOf(userId, monthOf(now())),

    async deactivate(userId, keyId) {
      if (!(await keys.deactivate(keyId, now(), userId))) throw new AppError('not_found', 'You have no such key')
    },
  }
}
