/** The maximum number of shared results per user that have not expired. */
export const MAX_SHARED_PER_USER = 20

/** The maximum length of a shared result in UTF-16 units: those of hostile pages have up to 43,000. */
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
  /** Stores a result under the SHA-256 of its link's token; false if its user has `max` unexpired ones. Atomic. */
  share(result: SharedResult & { tokenHash: string; json: string }, max: number): Promise<boolean>
  /** The result with this hash; null when it is unknown, stopped or expired, or its user is suspended. */
  find(tokenHash: string, nowMs: number): Promise<(SharedResult & { json: string }) | null>
  /** The results of a user that have not expired, newest first. */
  list(userId: string, nowMs: number): Promise<SharedResult[]>
  /** Deletes a result of the user. False when no result of the user has this id. */
  stop(userId: string, id: string): Promise<boolean>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}
