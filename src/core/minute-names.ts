/*
 * Names of what is counted together in a clock minute. The owner is a user, or the hash of a person who has deleted an
 * account.
 */

/** Requests by all keys of an owner together. */
export const keysMinute = (owner: string) => `user ${owner}`

/** Requests of an owner in the playground. */
export const playgroundMinute = (owner: string) => `playground ${owner}`
