// Limits of playground results, shared by all stores.

/** The maximum number of results per user; the oldest are deleted first. */
export const MAX_PER_USER = 20

/** The maximum length of a result in UTF-16 units; longer ones are not stored. A typical result takes 5,000. */
export const MAX_RESULT_CHARS = 256 * 1024
