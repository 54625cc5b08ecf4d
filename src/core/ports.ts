import type { Charset } from './charset.ts'
import type { PlanName } from './plan.ts'
import type { FetchTrace } from './trace.ts'

/**
 * The time one piece of work may take. A shared fetch lives as long as anybody waits for it, so the time left can grow
 * while it runs: ask again instead of keeping the number.
 */
export interface Budget {
  /** Aborts when nobody waits any more; its reason is the error to throw. */
  readonly signal: AbortSignal
  /** Milliseconds until the last waiter gives up; 0 when that has passed. */
  remainingMs(): number
}

/** What the bytes of an answer are, by Content-Type and by the bytes themselves (WHATWG MIME Sniffing). */
export type ContentKind = 'html' | 'image' | 'other' | 'empty'

/** The final answer of a target after all redirects, whatever its status. */
export interface FetchedPage {
  /** The URL the answer came from, after redirects. */
  url: URL
  status: number
  kind: ContentKind
  /** What the answer is, from its header or its bytes: in lower case without parameters, or '' when nothing tells. */
  mimeType: string
  /** The decoded (uncompressed) body, cut at the byte cap; empty unless `kind` is html. */
  bytes: Uint8Array
  /** How `bytes` become text. */
  charset: Charset
  /** The way there, for `--explain` and the log. */
  trace: FetchTrace
}

/** The one way out to the network. */
export interface Fetcher {
  /**
   * GETs the page, following redirects, each judged anew. The way is noted in `trace` while it is gone: who hands one
   * in can tell it even when the fetch fails.
   * @throws FetchError, or the budget's reason once nobody waits
   */
  fetch(url: URL, budget: Budget, trace?: FetchTrace): Promise<FetchedPage>
  /**
   * Whether there is an image at `url`, such as a site's `/favicon.ico`; remembered for a day. Never throws and never
   * takes more than the budget: what cannot be found out in time is not there.
   */
  hasIcon(url: URL, budget: Budget): Promise<boolean>
}

/*
 * What is remembered. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`.
 * Ids, times and hashes come in as arguments; what must be atomic is one verb.
 */

export interface User {
  id: string
  /** Lower case; unique. */
  email: string
  plan: PlanName
  createdAtMs: number
}

export interface ApiKey {
  id: string
  userId: string
  name: string
  /** The last four characters of the key, to tell keys apart. */
  lastFour: string
  createdAtMs: number
  lastUsedAtMs: number | null
  /** Null while the key is active. Deactivation is final. */
  deactivatedAtMs: number | null
}

export interface Users {
  /** The user with this email, made as given when there is none. Atomic. */
  ensure(user: User): Promise<User>
  /** All users, oldest first. */
  list(): Promise<User[]>
  /** Null when no user has this email. In force from the next request on. */
  setPlan(email: string, plan: PlanName): Promise<User | null>
}

export interface NewApiKey {
  id: string
  userId: string
  name: string
  /** SHA-256 of the key, lower-case hex; the key itself is never stored. */
  hash: string
  lastFour: string
  createdAtMs: number
}

/** What admission needs to know of a key, read afresh for every request. */
export interface KeyHolder {
  keyId: string
  userId: string
  plan: PlanName
}

export interface Keys {
  /** Stores the key, unless its owner already holds `maxActive` active ones: then false. Atomic. */
  create(key: NewApiKey, maxActive: number): Promise<boolean>
  /** The holder of the active key with this hash; null for unknown and for deactivated keys. */
  findActive(hash: string): Promise<KeyHolder | null>
  /** All keys with their owner's email, oldest first. */
  list(): Promise<(ApiKey & { email: string })[]>
  /** Deactivates for good. True also when it was deactivated before; false when no key has this id. */
  deactivate(id: string, atMs: number): Promise<boolean>
}

/** How a request that held a monthly slot ended. */
export type Ending = 'answered_fresh' | 'answered_from_cache' | 'failed' | 'abandoned'

/** One request's claim on a month, from `reserve` to `settle`. */
export interface Slot {
  userId: string
  keyId: string
  month: string
}

/** One key's requests of one day. */
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
   * key (abandoned requests count nowhere) and notes its last use. Atomic. Once for each slot.
   */
  settle(slot: Slot, ending: Ending, atMs: number): Promise<void>
  /** Slots taken in the month. */
  used(userId: string, month: string): Promise<number>
  /** Days with requests, oldest first, from `sinceDay` on. */
  daily(keyId: string, sinceDay: string): Promise<DailyUsage[]>
}

/** A key's standing in the current clock minute, after one request was counted or refused. */
export interface MinuteStanding {
  allowed: boolean
  remaining: number
  /** Unix second at which the window turns. */
  resetsAt: number
}

export interface RateLimiter {
  /** Counts one request of the key, unless `limit` were counted in this clock minute already. Atomic. */
  take(keyId: string, limit: number, nowMs: number): Promise<MinuteStanding>
}

/** A stored answer: the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
}

export interface ResultCache {
  /** What is stored under the key, fresh or not. */
  get(cacheKey: string): Promise<StoredResult | null>
  /** Stores or replaces; the oldest results go when there are too many. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  /** Drops what was stored before the time; says how many were dropped. */
  sweep(storedBeforeMs: number): Promise<number>
}
