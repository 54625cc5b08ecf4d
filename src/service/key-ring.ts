import type { ApiKey, KeyList, Keys, User } from '../core/account-ports.ts'
import { API_KEY_BYTES, formatApiKey, hashApiKey, keyIdOf, lastFourOf } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { parseKeyName } from '../core/key-name.ts'
import { monthOf } from '../core/period.ts'
import type { Plans } from '../core/plan.ts'
import type { UsageHistory } from '../core/usage-ports.ts'
import { withUsage, type WithUsage } from './key-usage.ts'
import { PAGE_ROWS } from '../core/limits.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/**
 * Keys that a user may create in an hour by the form, deactivated ones included: as many as the largest plan allows at
 * once, and never fewer than the user's own plan does. Each leaves a row behind until it is swept.
 */
const MAX_CREATED_PER_HOUR = 20

/**
 * A deactivated key is kept for so long, and its days of usage with it. The longest chart shows 90 days, so by then no
 * request of the key is on any chart.
 */
const DEACTIVATED_KEPT_MS = 100 * DAY_MS

/** A key that was just made. The key itself cannot be read again. */
export interface IssuedKey {
  id: string
  key: string
  lastFour: string
}

/** One page of a user's keys, and how many keys there are on all pages. */
export interface KeyPage extends Omit<KeyList, 'keys'> {
  keys: WithUsage[]
}

/** The keys of one user. */
export interface KeyRing {
  /**
   * Makes a key, for a command in a shell of the server.
   * @throws AppError `invalid_request` for a bad name; `key_limit` at the most active keys that the plan allows
   */
  issue(user: User, name: string): Promise<IssuedKey>
  /**
   * Makes a key, for a form of the user's own. Of each idempotency key a user gets one key.
   * @throws AppError as `issue` does; `key_limit` for an idempotency key that was used; `key_rate_limit` for too many
   * keys in an hour
   */
  issueByForm(user: User, name: string, idempotencyKey: string): Promise<IssuedKey>
  /** An idempotency key for a form. */
  newIdempotencyKey(): string
  /** One page, counted from 1: active ones first, the newest of each on top, each with its answers of this month. */
  list(userId: string, page: number): Promise<KeyPage>
  /** A key of the user. @throws AppError `not_found`, also for the keys of others */
  find(userId: string, keyId: string): Promise<ApiKey>
  /** Deactivates a key of the user. @throws AppError `not_found`, also for the keys of others */
  deactivate(userId: string, keyId: string): Promise<void>
  /** Forgets keys that were deactivated long ago. */
  sweep(): Promise<void>
}

export interface KeyRingDeps {
  keys: Keys
  usage: UsageHistory
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createKeyRing({ keys, usage, plans, now, newId, randomBytes }: KeyRingDeps): KeyRing {
  async function make(user: User, name: string, id: string, maxPerHour?: number): Promise<IssuedKey> {
    const key = formatApiKey(randomBytes(API_KEY_BYTES))
    const lastFour = lastFourOf(key)
    const createdAtMs = now()
    const record = { id, userId: user.id, name: parseKeyName(name), hash: hashApiKey(key), lastFour, createdAtMs }
    const { maxKeys, label } = plans[user.plan]
    const recent = maxPerHour === undefined ? undefined : { max: maxPerHour, sinceMs: createdAtMs - HOUR_MS }
    const outcome = await keys.create(record, maxKeys, recent)
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
    if (outcome === 'too_many_recent') {
      throw new AppError(
        'key_rate_limit',
        `${maxPerHour} keys were created within the last hour, deactivated ones included, which is the most: try again later`,
      )
    }
    return { id, key, lastFour }
  }

  const notFound = () => new AppError('not_found', 'You have no such key')

  return {
    issue: (user, name) => make(user, name, newId()),

    issueByForm(user, name, idempotencyKey) {
      // The id of the key is made of it, so that the store itself recognizes a repeated one.
      const id = idempotencyKey === '' ? newId() : keyIdOf(user.id, idempotencyKey)
      return make(user, name, id, Math.max(MAX_CREATED_PER_HOUR, plans[user.plan].maxKeys))
    },

    newIdempotencyKey: newId,

    async list(userId, page) {
      const list = await keys.listOf(userId, { offset: (page - 1) * PAGE_ROWS, limit: PAGE_ROWS })
      return { ...list, keys: await withUsage(list.keys, usage, monthOf(now())) }
    },

    async find(userId, keyId) {
      const key = await keys.findOf(userId, keyId)
      if (!key) throw notFound()
      return key
    },

    async deactivate(userId, keyId) {
      if (!(await keys.deactivate(keyId, now(), userId))) throw notFound()
    },

    async sweep() {
      await keys.sweep(now() - DEACTIVATED_KEPT_MS)
    },
  }
}
