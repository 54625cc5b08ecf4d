/** Bounds of what is read from the network that depend on each other. */

/** What is read of a page, decoded of its content encoding. No page puts its metadata behind the first two megabytes. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

/** What is taken of the document that a browser has made. A character is a byte at least. */
export const MAX_PAGE_CHARACTERS = MAX_PAGE_BYTES

/**
 * A body before it is decoded. Encodings make bodies smaller; only one that decodes to nothing, such as an endless row of
 * empty gzip members, gets here.
 */
export const MAX_ENCODED_BYTES = 2 * MAX_PAGE_BYTES

/** A slow line brings a page in packets of about 500 bytes; half of that leaves room. */
const MIN_MEAN_PIECE_BYTES = 256

/**
 * Chunks and packets that a body may come in. Each costs some microseconds and an object, so two megabytes in chunks of
 * one byte would stop the event loop for seconds and take a gigabyte.
 */
export const MAX_PIECES = MAX_PAGE_BYTES / MIN_MEAN_PIECE_BYTES

/** The longest that JSON writes a character: `\u0000`. */
const JSON_CHARACTER_BYTES = 6

/** The largest answer of DevTools that is taken: a page's whole document, with a megabyte for what is around it. */
export const MAX_DEVTOOLS_ANSWER_BYTES = JSON_CHARACTER_BYTES * MAX_PAGE_CHARACTERS + 1024 * 1024

/** A page of many small modules makes some hundred requests; one that makes more has shown enough. */
export const MAX_PAGE_REQUESTS = 500

/**
 * Events of one kind about the requests of a page, a worker or a frame: two a request, since redirects are told too.
 * What comes beyond it stays paused in Chromium, without an answer, and goes with the page.
 */
export const MAX_NETWORK_EVENTS = 2 * MAX_PAGE_REQUESTS

/** The head of an answer. Real pages carry up to some 20 KB of policies and cookies; Node's own limit is 16 KB. */
export const MAX_HEAD_BYTES = 65_536
