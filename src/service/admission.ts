import { hashApiKey, isApiKey } from '../core/api-key.ts'
import { AppError, MinuteLimitError, MonthLimitError } from '../core/errors.ts'
import { monthEnd, monthOf } from '../core/period.ts'
import type { Plan, Plans } from '../core/plan.ts'
import type { Keys } from '../core/account-ports.ts'
import type { MinuteCount, RateLimitStatus, RateLimiter } from '../core/ports.ts'
import type { Ending, Slot, Usage } from '../core/usage-ports.ts'
import type { Ledger } from './ledger.ts'

/** Whose minute and month a request spends. */
export interface Spender {
  /** Null in the playground, where a signed-in user spends their own month, with a minute beside those of their keys. */
  keyId: string | null
  userId: string
  plan: Plan
}

/** Who asks the API: the holder of an active key, and what their plan allows. */
export interface Caller extends Spender {
  keyId: string
}

/** Finished work, and where it leaves its caller. */
export interface Spent<T> {
  answer: T
  minute: RateLimitStatus
  /** Slots of the month that are taken, this one included. */
  monthUsed: number
}

export interface Admission {
  /**
   * Finds the key's holder. The key is read afresh each time, so that a deactivation or a change of plan, made by any
   * process, counts from the next request on.
   * @throws AppError `unauthorized`, with the same words for a malformed, an unknown and a deactivated key
   */
  authenticate(key: string | null): Promise<Caller>
  /**
   * Counts the request against the minute of the key and that of its user, reserves a slot of the month, then does the work. The slot is kept when the
   * work answers and given back when it throws; either is written down before this resolves or rejects, unless the
   * database cannot be written just then: the ledger does it later.
   * @throws MinuteLimitError, MonthLimitError, and whatever the work throws
   */
  spend<T extends { cached: boolean }>(spender: Spender, work: () => Promise<T>): Promise<Spent<T>>
}

export interface AdmissionDeps {
  keys: Keys
  usage: Usage
  ledger: Ledger
  limiter: RateLimiter
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
}

export function createAdmission({ keys, usage, ledger, limiter, plans, now }: AdmissionDeps): Admission {
  return {
    async authenticate(key) {
      if (key === null) throw new AppError('unauthorized', 'Missing API key')
      const holder = isApiKey(key) ? await keys.findActive(hashApiKey(key)) : null
      if (!holder) throw new AppError('unauthorized', 'Invalid API key')
      return { keyId: holder.keyId, userId: holder.userId, plan: plans[holder.plan] }
    },

    async spend({ keyId, userId, plan }, work) {
      const startedAt = now()
      const minute = await limiter.take(minuteCounts({ keyId, userId, plan }), startedAt)
      if (!minute.allowed) {
        const seconds = Math.max(1, Math.ceil(minute.resetsAt - startedAt / 1000))
        throw new MinuteLimitError(plan, minute.resetsAt, seconds)
      }

      const slot: Slot = { userId, keyId, month: monthOf(startedAt) }
      const { reserved, used } = await usage.reserve(slot, plan.perMonth)
      if (!reserved) throw new MonthLimitError(used, plan.perMonth, monthEnd(slot.month))

      const answer = await work().catch(async (error: unknown) => {
        await ledger.settle(slot, endingOf(error))
        throw error
      })
      await ledger.settle(slot, answer.cached ? 'answered_from_cache' : 'answered_fresh')
      return { answer, minute, monthUsed: used }
    },
  }
}

/**
 * A key has a minute of its own. All keys of a user together have what the plan allows for its number of keys: a new key
 * in place of a deactivated one brings no new minute. A plan that allows no keys leaves those that exist one minute.
 */
function minuteCounts({ keyId, userId, plan: { perMinute, maxKeys } }: Spender): MinuteCount[] {
  if (keyId === null) return [{ key: `playground ${userId}`, limit: perMinute }]
  return [
    { key: `key ${keyId}`, limit: perMinute },
    { key: `user ${userId}`, limit: perMinute * Math.max(1, maxKeys) },
  ]
}

function endingOf(error: unknown): Ending {
  return error instanceof AppError && error.kind === 'client_closed' ? 'abandoned' : 'failed'
}
