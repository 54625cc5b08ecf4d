/** Limits of a request that more than one ring must know, and those that follow from them. */

/** Longer URLs are refused: no page needs them, and many servers and proxies cut them off at 8 KB anyway. */
export const MAX_URL_CHARACTERS = 8_192

/** A character of three bytes of UTF-8, percent-encoded: `%E2%82%AC`. */
const ENCODED_CHARACTER_BYTES = 9

/** The longest URL as a parameter or a field of a form, 72 KB. */
const MAX_ENCODED_URL_BYTES = ENCODED_CHARACTER_BYTES * MAX_URL_CHARACTERS

/** The head of a request: the longest URL, and 56 KB for headers. Beyond it Bun answers 431 itself, without a body. */
export const MAX_REQUEST_HEAD_BYTES = MAX_ENCODED_URL_BYTES + 56 * 1024

/**
 * The body of a request: the largest form, which holds a URL, and 184 KB so that bodies that nobody asked for get our own
 * answer as well. Beyond it Bun answers 413 itself.
 */
export const MAX_REQUEST_BODY_BYTES = MAX_ENCODED_URL_BYTES + 184 * 1024

/** How long a caller may let the whole fetch take, in milliseconds. */
export const FETCH_TIMEOUT_MS = { minimum: 1, default: 5_000, maximum: 15_000 } as const

/** A connection without a byte for this long is closed. A request that waits for the longest fetch sends none. */
export const IDLE_TIMEOUT_MS = 2 * FETCH_TIMEOUT_MS.maximum

/** How long requests under way may still take when the server stops: the longest fetch, and time to answer. */
export const DRAIN_MS = FETCH_TIMEOUT_MS.maximum + 5_000

/** Rows on one page of a list in the dashboard. */
export const PAGE_ROWS = 50
