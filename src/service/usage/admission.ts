import type { Address } from '../../core/net/address.ts'
import { hashApiKey, isApiKey } from '../../core/accounts/api-key.ts'
import { AppError, ClientLimitError, MinuteLimitError, MonthLimitError } from '../../core/errors.ts'
import { isExpired } from '../../core/accounts/key-expiry.ts'
import type { KeyOwner, Keys } from '../../core/accounts/ports.ts'
import {
  allKeysRateLimitKey,
  playgroundRateLimitKey,
  type MinuteCount,
  type RateLimitStatus,
  type RateLimiter,
} from '../../core/usage/rate-limiter.ts'
import { memoized } from '../../core/memoized.ts'
import { monthEnd, monthOf, retryAfterSeconds } from '../../core/period.ts'
import type { Plan, Plans } from '../../core/plan.ts'
import type { RequestOutcome, QuotaUnit, QuotaResult } from '../../core/usage/ports.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import type { UsageMeter } from './usage-meter.ts'
import type { UsageSettler } from './usage-settler.ts'

/** The user, key and plan whose limits apply to a request. */
export interface QuotaSubject {
  /** Null in the playground, which shares the user's monthly limit but has its own limit per minute. */
  keyId: string | null
  userId: string
  plan: Plan
}

/** A caller of the API: the owner of an active key, with the limits of their plan. */
export interface Caller extends QuotaSubject, Omit<KeyOwner, 'plan'> {
  keyId: string
}

/** The result of a request and the remaining quota. */
export interface WithinQuota<T> {
  result: T
  minute: RateLimitStatus
  /** The month of the request's unit, which may have ended since: `2026-11`. */
  month: string
  /** Requests reserved or charged in the month, including this one. */
  monthUsed: number
}

/** How a result is obtained. */
export interface ResultSource<T> {
  /** The stored result, or null. */
  stored: () => T | null | Promise<T | null>
  work: () => Promise<T>
}

/** The images of one response: of the page and its favicon. Limits of images are this many times those of requests. */
export const IMAGES_PER_RESPONSE = 2

export type Admission = ReturnType<typeof createAdmission>

export interface AdmissionDeps {
  keys: Keys
  meter: UsageMeter
  settler: UsageSettler
  limiter: RateLimiter
  failedAuthentications: FailedAuthentications
  plans: Plans
  /** Requests per minute of a visitor of a page, with one key. */
  visitorPerMinute: number
  now: () => number
}

export function createAdmission(deps: AdmissionDeps) {
  const { keys, meter, settler, limiter, failedAuthentications, plans, visitorPerMinute, now } = deps
  // Once per key, not per request, while the store returns the same object for it.
  const callerOfOwner = memoized((owner: KeyOwner): Caller => ({ ...owner, plan: plans[owner.plan] }))
  const minuteCountsOf = memoized(minuteCounts)

  /** @throws AppError `unauthorized`, or ClientLimitError */
  async function rejectKey(message: string, client: () => Address | null): Promise<never> {
    await failedAuthentications.count(client())
    throw new AppError('unauthorized', message)
  }

  const visitorCount = ({ keyId }: QuotaSubject, visitor: string): MinuteCount => ({
    key: `visitor ${keyId} ${visitor}`,
    limit: visitorPerMinute,
  })

  /** @throws AppError `unauthorized`, or ClientLimitError */
  function callerOf(owner: KeyOwner | null, client: () => Address | null): Caller | Promise<never> {
    if (!owner || isExpired(owner.expiresAtMs, now())) return rejectKey('Invalid API key', client)
    const known = callerOfOwner(owner)
    // A reload has changed the plan.
    return known.plan === plans[owner.plan] ? known : { ...known, plan: plans[owner.plan] }
  }

  return {
    /**
     * Finds the user of a key. Changes of keys and plans by any process take effect with the next request. `client` is
     * only called when authentication fails; null is an unknown address.
     * @throws AppError `unauthorized`, with the same message for malformed, unknown, expired and deactivated keys;
     * ClientLimitError instead when too many authentications from the client's address have failed
     */
    authenticate(key: string | null, client: () => Address | null): Caller | Promise<Caller> {
      if (key === null) return rejectKey('Missing API key', client)
      const owner = isApiKey(key) ? keys.findActive(hashApiKey(key)) : null
      return owner instanceof Promise ? owner.then((found) => callerOf(found, client)) : callerOf(owner, client)
    },

    /**
     * Counts the request against the limits per minute of the key and of its user, then against the monthly limit. A
     * stored result is charged in one step. For work, a unit of the quota is reserved first; it is charged when the
     * work succeeds and released when it fails.
     *
     * The charge is recorded before this resolves. The outcome of a reserved unit is also recorded, unless the store
     * cannot be written; then the settler records it later.
     * @param visitor the client network of a request by a page, which has a limit of its own; null for other requests
     * @throws ClientLimitError, MinuteLimitError, MonthLimitError, and any error of `work`
     */
    async withQuota<T extends { cached: boolean }>(
      subject: QuotaSubject,
      { stored, work }: ResultSource<T>,
      visitor: string | null = null,
    ): Promise<WithinQuota<T>> {
      const startedAt = now()
      const { userId, keyId, plan } = subject
      const counts = minuteCountsOf(subject)
      const ofVisitor = visitor === null ? null : visitorCount(subject, visitor)
      const taken = limiter.take(ofVisitor === null ? counts : [ofVisitor, ...counts], startedAt)
      const minute = taken instanceof Promise ? await taken : taken
      if (!minute.allowed) {
        const retryAfter = retryAfterSeconds(minute.resetsAt, startedAt)
        if (minute.refusedBy !== ofVisitor?.key) throw new MinuteLimitError(plan, minute.resetsAt, retryAfter)
        throw new ClientLimitError('visitor_limit', visitorPerMinute, retryAfter)
      }
      const month = monthOf(startedAt)
      const unit: QuotaUnit = { userId, keyId, month }

      const found = stored()
      const storedResult = found instanceof Promise ? await found : found
      if (storedResult !== null) {
        const charged = await meter.charge(unit, plan.perMonth, startedAt)
        return { result: storedResult, minute, month, monthUsed: usedOf(charged, unit, plan) }
      }

      async function reserved(): Promise<WithinQuota<T>> {
        const monthUsed = usedOf(await meter.reserve(unit, plan.perMonth), unit, plan)
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

    /** Counts an uncharged image against minute limits of the visitor, key and user. @throws ClientLimitError */
    async countImage(subject: QuotaSubject, visitor: string) {
      const startedAt = now()
      const counts = [visitorCount(subject, visitor), ...minuteCountsOf(subject)].map(({ key, limit }) => ({
        key: `images ${key}`,
        limit: limit * IMAGES_PER_RESPONSE,
      }))
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
 * that the plan allows, so that replacing a key does not reset the limit. If the plan allows no keys, existing keys
 * share the limit of one key.
 */
function minuteCounts({ keyId, userId, plan: { perMinute, maxKeys } }: QuotaSubject): MinuteCount[] {
  if (keyId === null) return [{ key: playgroundRateLimitKey(userId), limit: perMinute }]
  return [
    { key: `key ${keyId}`, limit: perMinute },
    { key: allKeysRateLimitKey(userId), limit: perMinute * Math.max(1, maxKeys) },
  ]
}

/** @throws MonthLimitError when no unit was taken */
function usedOf({ taken, used }: QuotaResult, { month }: QuotaUnit, { perMonth }: Plan): number {
  if (!taken) throw new MonthLimitError(used, perMonth, monthEnd(month))
  return used
}

function outcomeOf(error: unknown): RequestOutcome {
  return error instanceof AppError && error.kind === 'client_closed' ? 'abandoned' : 'failed'
}
