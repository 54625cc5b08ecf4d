import { FETCH_TIMEOUT_MS } from './limits.ts'

/** Parses a fetch timeout in milliseconds; null unless `text` is a decimal integer within the limits. */
export function parseFetchTimeout(text: string): number | null {
  const timeoutMs = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return timeoutMs >= FETCH_TIMEOUT_MS.minimum && timeoutMs <= FETCH_TIMEOUT_MS.maximum ? timeoutMs : null
}
