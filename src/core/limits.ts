/** Limits of a request that more than one ring must know. */

/** Longer URLs are refused: no page needs them, and many servers and proxies cut them off at 8 KB anyway. */
export const MAX_URL_CHARACTERS = 8_192

/** The whole fetch, in milliseconds; the maximum stays well below the server's idle timeout. */
export const FETCH_TIMEOUT_MS = { minimum: 1, default: 5_000, maximum: 15_000 } as const
