import type { Principal } from '../fetch/ports.ts'

/** The maximum number of playground results per user; the oldest are deleted first. */
export const MAX_RESULTS_PER_USER = 20

/**
 * The maximum length of a playground result in UTF-16 units; longer ones are not stored. The result of an article with
 * 45 tags has 8,000, and 11,000 while its tags are edited; results of hostile pages have up to 43,000.
 */
export const MAX_RESULT_CHARS = 256 * 1024

/** For whom the images and files of link previews are requested. */
export interface PreviewCaller extends Principal {
  readonly userId: string
  /** The owner of the limits per minute, and of signed links to images. */
  readonly countedAs: string
}

/** A user in the playground. */
export const userCaller = (userId: string): PreviewCaller => ({ userId, publicOnly: false, countedAs: userId })

/** A visitor of the public playground, from a client network. All visitors share the slots of one user. */
export const visitorCaller = (network: string): PreviewCaller => publicCaller('public', `public ${network}`)

/** A viewer of a result that the user has shared. */
export const sharedCaller = (userId: string): PreviewCaller => publicCaller(`shared ${userId}`, `shared ${userId}`)

/** Callers without an account get no private hosts. */
const publicCaller = (userId: string, countedAs: string): PreviewCaller => ({ userId, publicOnly: true, countedAs })

/** Results of the playground, kept for a while so that their pages can be reloaded. */
export interface PlaygroundResults {
  /**
   * Stores or replaces a result. If there are too many or they are too large, deletes the oldest results of the user,
   * then the oldest of all users. A result that is too large alone is not stored.
   */
  put(result: { id: string; userId: string; json: string; expiresAtMs: number }): Promise<void>
  /** The text of the user's result; null when it is unknown, expired or another user's. */
  get(userId: string, id: string, nowMs: number): Promise<string | null>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}

/** The robots.txt files that were read, by origin and kind of caller. Their memory is limited. */
export interface RobotsCache {
  /** Null when it was not read, or was removed to make room for newer ones. */
  get(key: string): { text: string; readAtMs: number } | null
  put(key: string, file: { text: string; readAtMs: number }): void
}

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
  /** Deletes a result of the user. False if the user has no result with this id. */
  stop(userId: string, id: string): Promise<boolean>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}
