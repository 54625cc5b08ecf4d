import type { Address } from '../../core/net/address.ts'
import { hashApiKey, isApiKey } from '../../core/accounts/api-key.ts'
import { AppError, ClientLimitError, MinuteLimitError, MonthLimitError } from '../../core/errors.ts'
import { EndedKeyError, endOf } from '../../core/accounts/key-end.ts'
import type { KeyOwner } from '../../core/accounts/ports.ts'
import {
  allKeysRateLimitKey,
  playgroundRateLimitKey,
  type MinuteCount,
  type RateLimitStatus,
  type RateLimiter,
} from '../../core/usage/rate-limiter.ts'
import { keepingLast, memoized } from '../../core/memoized.ts'
import { monthEnd, monthOf, retryAfterSeconds } from '../../core/period.ts'
import { type Limits, limitsOf, type UserPlan } from '../../core/plan.ts'
import type { CurrentSettings, LiveSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import type { RequestOutcome, QuotaUnit, QuotaResult } from '../../core/usage/ports.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import type { UsageMeter } from './usage-meter.ts'
import type { UsageSettler } from './usage-settler.ts'

/** The user, and the key if there is one, whose limits a request counts against. */
export interface QuotaSubject {
  /** Null in the playground, which shares the user's monthly limit but has its own limit per minute. */
  keyId: string | null
  userId: string
  limits: Limits
}

/** An active key, with its restrictions, its owner, and the owner's limits. */
export interface ActiveKey extends QuotaSubject, Omit<KeyOwner, keyof UserPlan> {
  keyId: string
}

export interface WithinQuota<T> {
  result: T
  minute: RateLimitStatus
  /** The month of the request's unit, such as `2026-11`. The month may have ended since. */
  month: string
  /** Requests reserved or charged in the month, including this request. */
  monthUsed: number
}

export interface ResultSource<T> {
  /** Returns the stored result, or null. */
  stored: () => T | null | Promise<T | null>
  work: () => Promise<T>
}

/**
 * A response has the image of the page and its favicon. The limits of images are this many times the limits of
 * requests.
 */
export const IMAGES_PER_RESPONSE = 2

export type Admission = ReturnType<typeof createAdmission>

export interface AdmissionDeps extends Pick<AccountStores, 'keys'>, Pick<System, 'now'> {
  meter: UsageMeter
  settler: UsageSettler
  limiter: RateLimiter
  failedAuthentications: FailedAuthentications
  settings: CurrentSettings<'plans'>
  /** Requests per minute of a visitor of a page, with one key; at most half of those of the key. */
  visitorPerMinute: number
}

export function createAdmission(deps: AdmissionDeps) {
  const { keys, meter, settler, limiter, failedAuthentications, settings, visitorPerMinute, now } = deps
  // Computed once per key, not per request, while the store returns the same object for the key and the settings are
  // the same.
  const keysWith = keepingLast((current: Pick<LiveSettings, 'plans'>) =>
    memoized((owner: KeyOwner): ActiveKey => ({ ...owner, limits: limitsOf(current, owner) })),
  )
  const minuteCountsOf = memoized(minuteCounts)

  /** @throws `error`, or ClientLimitError */
  async function rejectKey(error: AppError, client: () => Address | null): Promise<never> {
    await failedAuthentications.count(client())
    throw error
  }

  /**
   * At most half of the limit of the key, so that no visitor can use it up for all others.
   * @param factor how many times as many as requests are allowed
   */
  const visitorCount = ({ keyId, limits }: QuotaSubject, visitor: string, factor = 1): MinuteCount => ({
    key: `visitor ${keyId} ${visitor}`,
    limit: Math.max(1, Math.min(factor * visitorPerMinute, Math.floor((factor * limits.perMinute) / 2))),
  })

  /** @throws AppError `unauthorized`, or ClientLimitError */
  function keyOf(owner: KeyOwner | null, client: () => Address | null): ActiveKey | Promise<never> {
    if (!owner) return rejectKey(new AppError('unauthorized', 'Invalid API key'), client)
    const ended = endOf(owner, now())
    return ended ? rejectKey(new EndedKeyError(owner, ended), client) : keysWith(settings())(owner)
  }

  return {
    /**
     * Finds the user of a key. Changes of keys and plans by any process take effect with the next request. `client` is
     * only called when authentication fails; it returns null for an unknown address. `hint` is added to the message for
     * a missing key.
     * @throws AppError `unauthorized`, with the same message for malformed and unknown keys, and for keys that no longer
     * work, which are an EndedKeyError; ClientLimitError instead when too many authentications from the client's address have failed
     */
    authenticate(key: string | null, client: () => Address | null, hint = ''): ActiveKey | Promise<ActiveKey> {
      if (key === null) return rejectKey(new AppError('unauthorized', `Missing API key${hint}`), client)
      const owner = isApiKey(key) ? keys.findOwner(hashApiKey(key)) : null
      return owner instanceof Promise ? owner.then((found) => keyOf(found, client)) : keyOf(owner, client)
    },

    /**
     * Counts the request against the limits per minute of the key and of its user, then against the monthly limit. A
     * stored result is charged in one step. For work, a unit of the quota is reserved first. The unit is charged when
     * the work succeeds and released when it fails.
     *
     * The charge is recorded before the promise resolves. The outcome of a reserved unit is also recorded by then,
     * except when the store cannot be written; then the settler records the outcome later.
     * @param visitor the client network of a request by a web page, which has its own limit; null for other requests
     * @throws ClientLimitError, MinuteLimitError, MonthLimitError, and any error of `work`
     */
    async withQuota<T extends { cached: boolean }>(
      subject: QuotaSubject,
      { stored, work }: ResultSource<T>,
      visitor: string | null = null,
    ): Promise<WithinQuota<T>> {
      const startedAt = now()
      const { userId, keyId, limits } = subject
      const counts = minuteCountsOf(subject)
      const ofVisitor = visitor === null ? null : visitorCount(subject, visitor)
      const taken = limiter.take(ofVisitor === null ? counts : [ofVisitor, ...counts], startedAt)
      const minute = taken instanceof Promise ? await taken : taken
      if (!minute.allowed) {
        const retryAfter = retryAfterSeconds(minute.resetsAt, startedAt)
        if (ofVisitor === null || minute.refusedBy !== ofVisitor.key)
          throw new MinuteLimitError(limits, minute.resetsAt, retryAfter)
        throw new ClientLimitError('visitor_limit', ofVisitor.limit, retryAfter)
      }
      const month = monthOf(startedAt)
      const unit: QuotaUnit = { userId, keyId, month }

      const found = stored()
      const storedResult = found instanceof Promise ? await found : found
      if (storedResult !== null) {
        const charged = await meter.charge(unit, limits.perMonth, startedAt)
        return { result: storedResult, minute, month, monthUsed: usedOf(charged, unit, limits) }
      }

      async function reserved(): Promise<WithinQuota<T>> {
        const monthUsed = usedOf(await meter.reserve(unit, limits.perMonth), unit, limits)
        const result = await work().catch(async (error: unknown) => {
          await settler.settle(unit, outcomeOf(error), startedAt)
          throw error
        })
        // Another request may have cached the result after `stored` was called.
        await settler.settle(unit, result.cached ? 'cached' : 'fetched', startedAt)
        return { result, minute, month, monthUsed }
      }
      return await settler.track(reserved())
    },

    /**
     * Counts an image, which is not charged, against the minute limits of the visitor, key and user.
     * @throws ClientLimitError
     */
    async countImage(subject: QuotaSubject, visitor: string) {
      const startedAt = now()
      const ofKeys = minuteCountsOf(subject).map(({ key, limit }) => ({ key, limit: limit * IMAGES_PER_RESPONSE }))
      const ofVisitor = visitorCount(subject, visitor, IMAGES_PER_RESPONSE)
      const counts = [ofVisitor, ...ofKeys].map(({ key, limit }) => ({ key: `images ${key}`, limit }))
      const { allowed, refusedBy, resetsAt } = await limiter.take(counts, startedAt)
      if (allowed) return
      const refusing = counts.findIndex(({ key }) => key === refusedBy)
      const kind = refusing === 0 ? 'visitor_limit' : 'image_limit'
      throw new ClientLimitError(kind, counts[refusing]!.limit, retryAfterSeconds(resetsAt, startedAt))
    },
  }
}

/**
 * Each key has a limit per minute. All keys of a user share a second limit: the limit per key times the number of keys
 * that the user may have, so that replacing a key does not reset the limit. If the user may have no keys, existing keys
 * share the limit of one key.
 */
function minuteCounts({ keyId, userId, limits: { perMinute, maxKeys } }: QuotaSubject): MinuteCount[] {
  if (keyId === null) return [{ key: playgroundRateLimitKey(userId), limit: perMinute }]
  return [
    { key: `key ${keyId}`, limit: perMinute },
    { key: allKeysRateLimitKey(userId), limit: perMinute * Math.max(1, maxKeys) },
  ]
}

/** @throws MonthLimitError if no unit was taken */
function usedOf({ taken, used }: QuotaResult, { month }: QuotaUnit, limits: Limits): number {
  if (!taken) throw new MonthLimitError(used, limits, monthEnd(month))
  return used
}

function outcomeOf(error: unknown): RequestOutcome {
  return error instanceof AppError && error.kind === 'client_closed' ? 'abandoned' : 'failed'
}
