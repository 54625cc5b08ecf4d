/* Limits of requests to this service, its timeouts and lists. src/fetch/response/limits.ts limits fetched responses. */

/** Longer URLs are rejected. Many servers and proxies limit URLs to 8 KB. */
export const MAX_URL_CHARACTERS = 8_192

/** Three bytes of UTF-8, percent-encoded: `%E2%82%AC`. */
const ENCODED_CHARACTER_BYTES = 9

/** The longest URL, percent-encoded as a query parameter or form field: 72 KB. */
const MAX_ENCODED_URL_BYTES = ENCODED_CHARACTER_BYTES * MAX_URL_CHARACTERS

/** The maximum size of a request's head: the longest URL and 56 KB of headers. Bun rejects larger heads with 431. */
export const MAX_REQUEST_HEAD_BYTES = MAX_ENCODED_URL_BYTES + 56 * 1024

/** The maximum size of a body: the longest URL and 184 KB. Bun rejects larger bodies with a bare 413, without JSON. */
export const MAX_REQUEST_BODY_BYTES = MAX_ENCODED_URL_BYTES + 184 * 1024

/** The range and default of the `timeout` parameter, in milliseconds. */
export const FETCH_TIMEOUT_MS = { minimum: 1, maximum: 15_000, default: 5_000 } as const
export const FETCH_TIMEOUT_RULE = `an integer from ${FETCH_TIMEOUT_MS.minimum} to ${FETCH_TIMEOUT_MS.maximum}`

/** Parses a fetch timeout in milliseconds; null unless `text` is a decimal integer within the limits. */
export function parseFetchTimeout(text: string): number | null {
  return parseWholeNumber(text, FETCH_TIMEOUT_MS.minimum, FETCH_TIMEOUT_MS.maximum)
}

/** Parses a decimal integer; null unless `text` is digits only and the number is within the inclusive bounds. */
export function parseWholeNumber(text: string, minimum: number, maximum: number): number | null {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= minimum && value <= maximum ? value : null
}

/** Idle connections are closed after this time. The time exceeds the longest fetch, during which a connection is idle. */
export const IDLE_TIMEOUT_MS = 2 * FETCH_TIMEOUT_MS.maximum

/** How long requests in progress may take when the server stops: the longest fetch and time to send the response. */
export const DRAIN_MS = FETCH_TIMEOUT_MS.maximum + 5_000

/** The maximum number of hosts with early rendering. All hosts are read every ten minutes, which takes some milliseconds. */
export const MAX_RENDERED_HOSTS = 2_000

/** The operators' list counts users up to this number, because counting reads all of them. */
export const MAX_COUNTED_USERS = 10_000

/** Rows on one page of a list in the dashboard. */
export const LIST_PAGE_ROWS = 50
