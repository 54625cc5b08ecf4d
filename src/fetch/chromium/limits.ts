import { MAX_PAGE_BYTES } from '../response/limits.ts'

/** The maximum length of a rendered document in characters, each of which takes at least one byte. */
export const MAX_PAGE_CHARACTERS = MAX_PAGE_BYTES

/** The longest JSON escape of a character: `\u0000`. */
const JSON_CHARACTER_BYTES = 6

/** The maximum size of a DevTools response: a rendered document, and a megabyte for the rest of the message. */
export const MAX_DEVTOOLS_RESPONSE_BYTES = JSON_CHARACTER_BYTES * MAX_PAGE_CHARACTERS + 1024 * 1024

/** The maximum number of requests of a rendered page. Pages with many small modules send a few hundred. */
export const MAX_PAGE_REQUESTS = 500

/**
 * The maximum number of events of one kind in a session (page, worker or frame): two per request, because redirects are
 * reported too. Requests beyond this limit stay paused in Chromium until the page is closed.
 */
export const MAX_EVENTS = 2 * MAX_PAGE_REQUESTS
