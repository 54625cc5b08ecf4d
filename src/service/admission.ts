import { hashApiKey, isApiKey } from '../core/api-key.ts'
import { AppError, MinuteLimitError, MonthLimitError } from '../core/errors.ts'
import { keysMinute, playgroundMinute } from '../core/minute-names.ts'
import { monthEnd, monthOf } from '../core/period.ts'
import type { Plan, Plans } from '../core/plan.ts'
import type { Keys } from '../core/account-ports.ts'
import type { MinuteCount, RateLimitStatus, RateLimiter } from '../core/ports.ts'
import type { RequestOutcome, Slot, SlotResult } from '../core/usage-ports.ts'
import type { UsageMeter } from './usage-meter.ts'
import type { UsageSettler } from './usage-settler.ts'

/** Whose minute and month a request is counted against. */
export interface QuotaSubject {
  /** Null in the playground, where a signed-in user uses their own month, with a minute beside those of their keys. */
  keyId: string | null
  userId: string
  plan: Plan
}

/** Who asks the API: the holder of an active key, and what their plan allows. */
export interface Caller extends QuotaSubject {
  keyId: string
}

/** An answer, and what is left of the quota of whoever asked. */
export interface WithinQuota<T> {
  answer: T
  minute: RateLimitStatus
  /** Slots of the month that are taken, this one included. */
  monthUsed: number
}

/** Where an answer comes from. */
export interface AnswerSource<T> {
  /** The answer, if it is there already; null when work has to be done for it. */
  stored: () => Promise<T | null>
  /** Does the work. */
  work: () => Promise<T>
}

export interface Admission {
  /**
   * Finds the key's holder. A deactivation or a change of plan, made by any process, counts from the next request on.
   * @throws AppError `unauthorized`, with the same words for a malformed, an unknown and a deactivated key
   */
  authenticate(key: string | null): Promise<Caller>
  /**
   * Counts the request against the minute of the key and that of its user, then against the month. A stored result is
   * charged in one step. For work, a slot is reserved first, kept when the work succeeds and given back when it throws.
   *
   * The charge is recorded before this resolves. The outcome of a reserved slot is too, unless the store cannot be
   * written just then: the settler records it later.
   * @throws MinuteLimitError, MonthLimitError, and whatever the work throws
   */
  withQuota<T extends { cached: boolean }>(subject: QuotaSubject, source: AnswerSource<T>): Promise<WithinQuota<T>>
}

export interface AdmissionDeps {
  keys: Keys
  meter: UsageMeter
  settler: UsageSettler
  limiter: RateLimiter
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
}

export function createAdmission({ keys, meter, settler, limiter, plans, now }: AdmissionDeps): Admission {
  async function takeMinute(subject: QuotaSubject, nowMs: number): Promise<RateLimitStatus> {
    const minute = await limiter.take(minuteCounts(subject), nowMs)
    if (minute.allowed) return minute
    const seconds = Math.max(1, Math.ceil(minute.resetsAt - nowMs / 1000))
    throw new MinuteLimitError(subject.plan, minute.resetsAt, seconds)
  }

  return {
    async authenticate(key) {
      if (key === null) throw new AppError('unauthorized', 'Missing API key')
      const holder = isApiKey(key) ? await keys.findActive(hashApiKey(key)) : null
      if (!holder) throw new AppError('unauthorized', 'Invalid API key')
      return { keyId: holder.keyId, userId: holder.userId, plan: plans[holder.plan] }
    },

    async withQuota(subject, { stored, work }) {
      const startedAt = now()
      const { userId, keyId, plan } = subject
      const minute = await takeMinute(subject, startedAt)
      const slot: Slot = { userId, keyId, month: monthOf(startedAt) }

      const ready = await stored()
      if (ready !== null) {
        const charged = await meter.charge(slot, plan.perMonth, startedAt)
        return { answer: ready, minute, monthUsed: usedOf(charged, slot, plan) }
      }

      const monthUsed = usedOf(await meter.reserve(slot, plan.perMonth), slot, plan)
      const answer = await work().catch(async (error: unknown) => {
        await settler.settle(slot, outcomeOf(error))
        throw error
      })
      // Others may have stored the answer since `stored` looked for it.
      await settler.settle(slot, answer.cached ? 'answered_from_cache' : 'answered_fresh')
      return { answer, minute, monthUsed }
    },
  }
}

/**
 * A key has a minute of its own. All keys of a user together share what the plan allows for its number of keys, so that
 * replacing a key does not start a new minute. Keys of a plan that allows none share one minute.
 */
function minuteCounts({ keyId, userId, plan: { perMinute, maxKeys } }: QuotaSubject): MinuteCount[] {
  if (keyId === null) return [{ key: playgroundMinute(userId), limit: perMinute }]
  return [
    { key: `key ${keyId}`, limit: perMinute },
    { key: keysMinute(userId), limit: perMinute * Math.max(1, maxKeys) },
  ]
}

/** @throws MonthLimitError when no slot was taken */
function usedOf({ taken, used }: SlotResult, { month }: Slot, { perMonth }: Plan): number {
  if (!taken) throw new MonthLimitError(used, perMonth, monthEnd(month))
  return used
}

function outcomeOf(error: unknown): RequestOutcome {
  return error instanceof AppError && error.kind === 'client_closed' ? 'abandoned' : 'failed'
}
