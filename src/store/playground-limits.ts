// Limits of playground results, shared by all stores.

/** The maximum number of results per user; the oldest are deleted first. */
export const MAX_PER_USER = 20

/**
 * The maximum length of a result in UTF-16 units; longer ones are not stored. That of an article with 45 tags has 8,000,
 * and 11,000 while its tags are edited; those of hostile pages have up to 43,000.
 */
export const MAX_RESULT_CHARS = 256 * 1024
