/*
 * Storage of results that users of the playground can open again later. Results are texts whose format only
 * src/previews/ knows.
 */

/** The maximum number of playground results per user. The oldest results are deleted first. */
export const MAX_RESULTS_PER_USER = 20

/**
 * In UTF-16 units; longer results are not stored. The result of an article with 45 tags has 8,000, and 11,000 while its
 * tags are edited. Results of hostile pages have up to 43,000.
 */
export const MAX_RESULT_CHARS = 256 * 1024

/** Results of the playground, kept for a while so that the pages that show them can be reloaded. */
export interface PlaygroundResults {
  /**
   * Stores or replaces a result. If there are too many results, or they take too much space, deletes the oldest results
   * of the user, then the oldest results of all users. A result that alone takes too much space is not stored.
   */
  put(result: { id: string; userId: string; json: string; expiresAtMs: number }): Promise<void>
  /** The text of the user's result; null if the result is unknown, expired or another user's. */
  get(userId: string, id: string, nowMs: number): Promise<string | null>
  /** Deletes expired results; returns their number. */
  sweep(nowMs: number): Promise<number>
}

/** Expired results do not count. */
export const MAX_SHARED_PER_USER = 20

/** In UTF-16 units. Results of hostile pages have up to 43,000. */
export const MAX_SHARED_CHARS = 64 * 1024

/** A result of the playground that everybody with its link can see. */
export interface SharedResult {
  id: string
  userId: string
  /** The requested URL. */
  url: string
  createdAtMs: number
  expiresAtMs: number
}

export interface SharedResults {
  /** Stores a result under the SHA-256 of its link's token; false if the user has `max` unexpired results. Atomic. */
  share(result: SharedResult & { tokenHash: string; json: string }, max: number): Promise<boolean>
  /** The result with this hash; null if it is unknown, stopped or expired, or if its user is suspended. */
  find(tokenHash: string, nowMs: number): Promise<(SharedResult & { json: string }) | null>
  /** The results of a user that have not expired, newest first. */
  list(userId: string, nowMs: number): Promise<SharedResult[]>
  /** Deletes a result of the user. False if the user has no result with this id. */
  stop(userId: string, id: string): Promise<boolean>
  /** Deletes expired results; returns their number. */
  sweep(nowMs: number): Promise<number>
}
