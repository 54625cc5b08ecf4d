import { FETCH_TIMEOUT_MS } from './limits.ts'

/** How long a fetch may take, in milliseconds; null unless `text` is an integer within the limits. `5e3` is none. */
export function parseFetchTimeout(text: string): number | null {
  const timeoutMs = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return timeoutMs >= FETCH_TIMEOUT_MS.minimum && timeoutMs <= FETCH_TIMEOUT_MS.maximum ? timeoutMs : null
}
