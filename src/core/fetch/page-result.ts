import type { Metadata } from '../extract/fields/metadata.ts'

/** `http` is a plain GET, `headless` a local Chromium. */
export type FetchMethod = 'http' | 'headless'

/** The stored result for a page. Each response adds the requested `url`. */
export interface PageResult extends Metadata {
  /** ISO 8601, UTC, milliseconds. */
  fetched_at: string
  fetch_method: FetchMethod
  response_time_ms: number
}
