// Bounds of the results of the playground, the same in every adapter.

/** Results per user; the oldest ones are deleted first. */
export const MAX_PER_USER = 20

/** The length of one result in UTF-16 units. A result takes about 5,000; a larger one than this is not stored. */
export const MAX_RESULT_CHARS = 256 * 1024
