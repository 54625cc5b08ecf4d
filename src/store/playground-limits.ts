// Bounds of the results of the playground, the same in every adapter.

/** Results per user; the oldest ones are deleted first. */
export const MAX_PER_USER = 20

/**
 * The length of one result in UTF-16 units. That of an article with 60 tags takes 8,000, and 11,000 while its tags are
 * edited; hostile pages reach 100,000. A larger one than this is not stored.
 */
export const MAX_RESULT_CHARS = 256 * 1024
