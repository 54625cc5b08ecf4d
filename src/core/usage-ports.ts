/*
 * What is counted and charged. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`. Users and keys are known
 * by their ids alone, so that usage can be kept in another store than accounts.
 */

/** How a request that held a monthly slot ended. */
export type RequestOutcome = 'answered_fresh' | 'answered_from_cache' | 'failed' | 'abandoned'

/** One request's claim on a month. */
export interface Slot {
  userId: string
  /** Null for a request of the playground, which needs no key. */
  keyId: string | null
  month: string
}

/** A slot to take, if fewer than `limit` of the month are taken. */
export interface SlotRequest {
  slot: Slot
  limit: number
  /** When a cached answer is charged: the slot is taken for good and counted. Null reserves it until a settlement. */
  chargedAtMs: number | null
}

/** How a reserved slot ended. */
export interface Settlement {
  slot: Slot
  outcome: RequestOutcome
  atMs: number
}

/** The requests that are metered together: those of one turn of the event loop. */
export interface UsageBatch {
  requests: readonly SlotRequest[]
  settlements: readonly Settlement[]
}

/** What became of a `SlotRequest`. `used` counts the slots taken, up to and including this one. */
export interface SlotResult {
  taken: boolean
  used: number
}

export interface Metering {
  /**
   * Writes one batch in one transaction, or one round trip; one result for each of `requests`, in their order.
   *
   * Settlements come first: failed and abandoned requests give their slots back, and all of them but the abandoned are
   * counted for the day of their key or of the playground. Those of a user who was forgotten meanwhile do nothing. Then
   * slots are given to `requests` in their order while the month has any; one that gets none changes nothing.
   *
   * Atomic and durable: once it has resolved, no crash of the process loses it. Rejects when the store cannot be
   * written, and then nothing of the batch was; no member can make it fail for the others. A store on another machine may
   * learn only later that it has applied a batch after all, and undoes it before the next one.
   */
  apply(batch: UsageBatch): Promise<readonly SlotResult[]>
}

/** The requests of one day. */
export interface DailyUsage {
  day: string
  /** Answers with status 200, fresh or cached. */
  answers: number
  /** Those of the answers that came from the cache. */
  cacheHits: number
  /** Requests that ended in 5xx. */
  failures: number
}

/** What one key was used for. */
export interface KeyUsage {
  /** Answers of the month asked for, which are what is charged. */
  answers: number
  lastUsedAtMs: number
}

export interface UsageHistory {
  /** Slots taken in the month by each of the users who took any. */
  used(userIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>>
  /** The usage of every key of these users that was ever used, by the key's id. */
  keysOf(userIds: readonly string[], month: string): Promise<ReadonlyMap<string, KeyUsage>>
  /** Months with requests, oldest first. */
  months(userId: string): Promise<{ month: string; used: number }[]>
  /**
   * Days with requests, oldest first, from `sinceDay` on: of one key of the user, or, with null, of all keys and the
   * playground together.
   */
  days(userId: string, keyId: string | null, sinceDay: string): Promise<DailyUsage[]>
  /** Deletes the days before `day`; months stay. Returns the number of rows. */
  sweepDays(day: string): Promise<number>
}

/** What deleted accounts had used of their month: signing up again does not start it anew. */
export interface DeletedAccountUsage {
  /**
   * Deletes all usage of the user, and keeps what they used of the month under each of the hashes that the same person
   * would be known by again. Atomic.
   */
  forget(userId: string, hashes: readonly string[], month: string): Promise<void>
  /** Counts what was kept of the month under any of the hashes for the user, unless they used more since. Atomic. */
  resume(userId: string, hashes: readonly string[], month: string): Promise<void>
  /** Drops what was kept of months before `month`; says how many rows. */
  sweep(month: string): Promise<number>
}

export interface Usage extends Metering, UsageHistory, DeletedAccountUsage {}
