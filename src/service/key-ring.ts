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
 * Keys that a user may create per hour in the dashboard, deactivated ones included. The limit is at least the plan's
 * maximum of active keys. It bounds the rows of deactivated keys.
 */
const MAX_CREATED_PER_HOUR = 20

/**
 * How long deactivated keys and their daily usage are kept: longer than the 90 days of the longest chart.
 */
const DEACTIVATED_KEPT_MS = 100 * DAY_MS

/** A new key. The key itself cannot be read again. */
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
   * Creates a key from the command line.
   * @throws AppError `invalid_request` for an invalid name; `key_limit` at the plan's maximum of active keys
   */
  issue(user: User, name: string): Promise<IssuedKey>
  /**
   * Creates a key from the dashboard's form. Each idempotency key creates at most one key.
   * @throws AppError like `issue`; `key_limit` for a used idempotency key; `key_rate_limit` for too many keys in an
   * hour
   */
  issueByForm(user: User, name: string, idempotencyKey: string): Promise<IssuedKey>
  /** Creates an idempotency key for a form. */
  newIdempotencyKey(): string
  /** One page, counted from 1, with usage of this month: active keys first, each group newest first. */
  list(userId: string, page: number): Promise<KeyPage>
  /** A key of the user. @throws AppError `not_found`, also for keys of other users */
  find(userId: string, keyId: string): Promise<ApiKey>
  /** Deactivates a key of the user. @throws AppError `not_found`, also for keys of other users */
  deactivate(userId: string, keyId: string): Promise<void>
  /** Deletes keys that were deactivated long ago. */
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
  async function create(user: User, name: string, id: string, maxPerHour?: number): Promise<IssuedKey> {
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
        'This form has already created a key, which is shown only once. If you lost it, deactivate it and create another.',
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
        `You can create at most ${maxPerHour} keys per hour, deactivated ones included: try again later`,
      )
    }
    return { id, key, lastFour }
  }

  const notFound = () => new AppError('not_found', 'You have no such key')

  return {
    issue: (user, name) => create(user, name, newId()),

    issueByForm(user, name, idempotencyKey) {
      // The id is derived from the idempotency key, so that the store detects a repeated one.
      const id = idempotencyKey === '' ? newId() : keyIdOf(user.id, idempotencyKey)
      return create(user, name, id, Math.max(MAX_CREATED_PER_HOUR, plans[user.plan].maxKeys))
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
