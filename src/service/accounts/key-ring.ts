import { DAY_MS, HOUR_MS } from '../../core/duration.ts'
import { INACTIVE_KEY_RETENTION_MS, REQUEST_LOG_RETENTION_MS } from '../../core/lifetimes.ts'
import type { AuditOf } from '../../core/accounts/audit-log.ts'
import type { ApiKey, Keys, NewApiKey, RecentKeys, User } from '../../core/accounts/ports.ts'
import { hashApiKey, keyIdOf, newApiKey } from '../../core/accounts/api-key.ts'
import { AppError } from '../../core/errors.ts'
import { endOf } from '../../core/accounts/key-end.ts'
import { successorExpiry } from '../../core/accounts/key-expiry.ts'
import { type KeySettings, keySettingsOf } from '../../core/accounts/key-settings.ts'
import { monthOf } from '../../core/period.ts'
import { isOwnLimit, limitScope, limitsOf } from '../../core/plan.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import { withUsage } from '../usage/key-usage.ts'
import { LIST_PAGE_ROWS } from '../../core/limits.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'

/** Keys created or rotated per hour in the dashboard, or the user's maximum of keys if that is more. */
const MAX_CREATED_PER_HOUR = 20

/** How many times as many in the days that ended keys are stored. Bounds the keys that pages read. */
const MAX_STORED_FACTOR = 10

interface KeyRingDeps extends Pick<AccountStores, 'keys' | 'usage'>, System {
  settings: CurrentSettings<'plans'>
}

/**
 * Rejected requests with a replaced key are reported for this time: a program that runs once per day stays reported.
 */
const REPORT_REPLACED_MS = DAY_MS

/** The keys of one user. */
export type KeyRing = ReturnType<typeof createKeyRing>

export function createKeyRing(deps: KeyRingDeps) {
  const { keys, usage, now, newId } = deps
  const find = (userId: string, keyId: string) => findKey(keys, userId, keyId)
  /** The key that replaces this one, and when it ended itself; null if it was not rotated, or if its successor was deleted. */
  async function successorOf({ userId, replacedById }: ApiKey) {
    const successor = replacedById === null ? null : await keys.findOf(userId, replacedById)
    return successor && { ...successor, ended: endOf(successor, now()) }
  }

  return {
    ...createKeyIssuer(deps),

    /**
     * Changes settings of a key of the user; they apply from the next request on.
     * @throws AppError `not_found`, also for keys of others; `key_limit` for a deactivated, expired or rotated key
     */
    async update(userId: string, keyId: string, changes: Partial<KeySettings>, audit?: AuditOf): Promise<ApiKey> {
      const key = await find(userId, keyId)
      const updated = await keys.update(userId, keyId, changes, now(), audit)
      if (!updated) throw notChangeable(key)
      return updated
    },

    newIdempotencyKey: newId,

    /** One page, from 1, with this month's usage, and the counts of all: active keys first, each group newest first. */
    async list(userId: string, page: number) {
      const list = await keys.listOf(userId, now(), { offset: (page - 1) * LIST_PAGE_ROWS, limit: LIST_PAGE_ROWS })
      return { ...list, keys: await withUsage(list.keys, usage, monthOf(now())) }
    },

    /**
     * The user's keys with requests that were rejected in the time of the request log, the latest first, and their
     * successors. A replaced key only if requests were rejected in the last day.
     */
    async rejected(userId: string, limit: number) {
      const [sinceMs, replacedSinceMs] = [now() - REQUEST_LOG_RETENTION_MS, now() - REPORT_REPLACED_MS]
      const rejected = await keys.listRejected(userId, { sinceMs, replacedSinceMs, limit })
      return Promise.all(rejected.map(async (key) => ({ ...key, successor: await successorOf(key) })))
    },

    /** All keys of the user, including deactivated, expired and deleted ones that are still stored. */
    all: async (userId: string) => (await keys.listOf(userId, now())).keys,
    /** A key of the user. @throws AppError `not_found`, also for keys of other users */
    find,

    /** A key of the user with its usage, and its successor if it was rotated. @throws AppError `not_found` */
    async details(userId: string, keyId: string) {
      const found = await find(userId, keyId)
      const [key] = await withUsage([found], usage, monthOf(now()))
      return { key: key!, successor: await successorOf(found) }
    },

    /** Deactivates a key of the user. @throws AppError `not_found`, also for keys of other users */
    async deactivate(userId: string, keyId: string) {
      if (!(await keys.deactivate(userId, keyId, now()))) throw notFound()
    },

    /** Deletes keys that were deactivated or expired long before `nowMs`. */
    sweep: (nowMs: number) => keys.sweep(nowMs - INACTIVE_KEY_RETENTION_MS),
  }
}

/** In the dashboard, the maximum of keys per hour; on the command line, the entry of the audit log. */
type Issuing = { perHour?: number; audit?: AuditOf<NewApiKey> }

/** Creates keys within the limits of users, in the dashboard also per hour. */
function createKeyIssuer(deps: KeyRingDeps) {
  const { keys, now, newId, randomBytes } = deps
  const ownerLimits = (user: User) => limitsOf(deps.settings(), user)

  /** A new random key and its row. */
  function generate(userId: string, id: string, settings: KeySettings) {
    const key = newApiKey(randomBytes)
    const lastFour = key.slice(-4)
    const identity = { id, userId, lastFour, hash: hashApiKey(key), createdAtMs: now() }
    return { key, row: { ...keySettingsOf(settings), ...identity } }
  }

  function recentOf(perHour: number | undefined): RecentKeys[] {
    if (perHour === undefined) return []
    const hourly = { max: perHour, sinceMs: now() - HOUR_MS }
    return [hourly, { max: MAX_STORED_FACTOR * perHour, sinceMs: now() - INACTIVE_KEY_RETENTION_MS }]
  }

  /** The keys that a user may create or rotate per hour in the dashboard. */
  const maxPerHour = (user: User) => Math.max(MAX_CREATED_PER_HOUR, ownerLimits(user).maxKeys)

  function tooMany(user: User) {
    const limits = ownerLimits(user)
    return new AppError(
      'key_limit',
      `${user.email} already has the maximum of ${limits.maxKeys} active keys ${limitScope(limits, 'maxKeys')}: ` +
        `deactivate one or change the ${isOwnLimit(limits, 'maxKeys') ? 'limit' : 'plan'}`,
    )
  }

  /** The key that is returned cannot be read again. */
  async function create(user: User, settings: KeySettings, id: string, { perHour, audit }: Issuing) {
    const { key, row } = generate(user.id, id, settings)
    const outcome = await keys.create(row, ownerLimits(user).maxKeys, recentOf(perHour), audit)
    if (outcome === 'repeated') {
      throw new AppError(
        'key_limit',
        'This form has already created a key, which is shown only once. If you lost it, deactivate it and create another.',
      )
    }
    if (outcome === 'too_many') throw tooMany(user)
    if (outcome === 'too_many_recent') throw tooManyRecent(perHour!)
    outcome satisfies 'created'
    return { id, key }
  }

  async function rotate(user: User, keyId: string, overlapMs: number, { perHour, audit }: Issuing) {
    const previous = await findKey(keys, user.id, keyId)
    const nowMs = now()
    const settings = { ...previous, expiresAtMs: successorExpiry(previous, nowMs) }
    const { key, row } = generate(user.id, newId(), settings)
    // A key that has ended does not work longer.
    const endsAtMs = endOf(previous, nowMs)?.endedAtMs ?? nowMs + overlapMs
    const { maxKeys } = ownerLimits(user)
    const outcome = await keys.rotate(keyId, row, endsAtMs, recentOf(perHour), audit, maxKeys)
    if (outcome === 'inactive') {
      const current = (await keys.findOf(user.id, keyId)) ?? previous
      throw current.replacedById === null && current.deletedAtMs === null ? tooMany(user) : notChangeable(current)
    }
    if (outcome === 'too_many_recent') throw tooManyRecent(perHour!, 'stop the old key immediately, or try again later')
    outcome satisfies 'rotated'
    const previousEndsAtMs = Math.min(previous.expiresAtMs ?? endsAtMs, endsAtMs)
    return { id: row.id, key, allowedOrigins: row.allowedOrigins, previousEndsAtMs }
  }

  return {
    /** Creates a key from the command line. @throws AppError `key_limit` at the user's maximum */
    issue: (user: User, settings: KeySettings, audit: AuditOf<NewApiKey>) => create(user, settings, newId(), { audit }),

    /**
     * Creates a key from the dashboard's form. Each idempotency key creates at most one key.
     * @throws AppError like `issue`; `key_limit` for a used idempotency key; `key_rate_limit` for too many in an hour
     */
    issueByForm(user: User, settings: KeySettings, idempotencyKey: string) {
      // The id is derived from the idempotency key, so that the store detects a repeated one.
      const id = idempotencyKey === '' ? newId() : keyIdOf(user.id, idempotencyKey)
      return create(user, settings, id, { perHour: maxPerHour(user) })
    },

    /**
     * Creates a key with the same settings, from the command line. The old key works for at most another `overlapMs` and
     * does not count against the user's maximum. It may have ended, if the maximum allows another key.
     * @throws AppError `not_found`; `key_limit` for a rotated or deleted key, and at the user's maximum
     */
    rotate: (user: User, keyId: string, overlapMs: number, audit: AuditOf<NewApiKey>) =>
      rotate(user, keyId, overlapMs, { audit }),

    /**
     * The same from the dashboard's form. @throws AppError like `rotate`; `key_rate_limit` for too many in an hour, but
     * not without an overlap, because somebody else with the user's session may have created them
     */
    rotateByForm: (user: User, keyId: string, overlapMs: number) =>
      rotate(user, keyId, overlapMs, { perHour: maxPerHour(user) }),
  }
}

async function findKey(keys: Keys, userId: string, keyId: string): Promise<ApiKey> {
  const key = await keys.findOf(userId, keyId)
  if (!key) throw notFound()
  return key
}

const tooManyRecent = (perHour: number, advice = 'try again later') =>
  new AppError(
    'key_rate_limit',
    `You can create at most ${perHour} keys per hour and ${MAX_STORED_FACTOR * perHour} in ` +
      `${INACTIVE_KEY_RETENTION_MS / DAY_MS} days, deactivated ones included: ${advice}`,
  )

const notFound = () => new AppError('not_found', 'Key not found')

const notChangeable = ({ replacedById }: ApiKey) =>
  new AppError(
    'key_limit',
    replacedById === null
      ? 'This key has been deactivated or has expired, and can no longer be changed'
      : 'This key has already been rotated, and can no longer be changed. Its successor was shown only once.',
  )
