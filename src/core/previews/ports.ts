/** Results of the playground, kept for a while so that their pages can be reloaded. */
export interface PlaygroundResults {
  /**
   * Stores or replaces a result. Deletes the oldest results of the user, and then those of all users, when there are
   * too many or they are too large. A result that is too large alone is not stored.
   */
  put(result: { id: string; userId: string; json: string; expiresAtMs: number }): Promise<void>
  /** The text of the user's result; null when it is unknown, expired or another user's. */
  get(userId: string, id: string, nowMs: number): Promise<string | null>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}

/** The robots.txt files that were read, by origin. Their memory is limited. */
export interface RobotsCache {
  /** Null when it was not read, or was removed to make room for newer ones. */
  get(origin: string): { text: string; readAtMs: number } | null
  put(origin: string, file: { text: string; readAtMs: number }): void
}
