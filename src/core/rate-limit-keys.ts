/*
 * Keys of the rate limiter, which counts requests per clock minute. The owner is a user id, or a hash that identifies a
 * person who deleted an account.
 */

/** Requests by all keys of an owner together. */
export const allKeysRateLimitKey = (owner: string) => `user ${owner}`

/** Requests of an owner in the playground. */
export const playgroundRateLimitKey = (owner: string) => `playground ${owner}`
