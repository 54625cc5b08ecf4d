/* What is counted and charged. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`. */

/** How a request that held a monthly slot ended. */
export type Ending = 'answered_fresh' | 'answered_from_cache' | 'failed' | 'abandoned'

/** One request's claim on a month, from `reserve` to `settle`. */
export interface Slot {
  userId: string
  /** Null for a request of the playground, which needs no key. */
  keyId: string | null
  month: string
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

export interface Usage {
  /**
   * Takes one slot of the user's month, if fewer than `limit` are taken. Atomic and durable: once it has resolved, no
   * crash of the process loses it. `used` counts the slots taken, this one included.
   */
  reserve(slot: Slot, limit: number): Promise<{ reserved: boolean; used: number }>
  /**
   * Ends a reserved request: answered slots stay taken, failed and abandoned ones are given back. Counts the day of the
   * key or the playground (abandoned requests count nowhere) and notes the key's last use. Atomic. Once for each slot.
   * Does nothing for a user who is gone by then.
   */
  settle(slot: Slot, ending: Ending, atMs: number): Promise<void>
  /** Slots taken in the month. */
  used(userId: string, month: string): Promise<number>
  /** Months with requests, oldest first. */
  months(userId: string): Promise<{ month: string; used: number }[]>
  /** Days of one key with requests, oldest first, from `sinceDay` on. */
  daily(keyId: string, sinceDay: string): Promise<DailyUsage[]>
  /** Days with requests, oldest first, from `sinceDay` on: all keys of the user and the playground together. */
  dailyOfUser(userId: string, sinceDay: string): Promise<DailyUsage[]>
}
