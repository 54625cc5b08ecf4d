/** What a page says of itself. Every field is absent rather than empty, and every URL in it is http(s). */
export interface Metadata {
  canonical_url?: string
  title?: string
  description?: string
  image?: string
  favicon?: string
  site_name?: string
  type?: string
  locale?: string
  twitter_card?: TwitterCard
  meta?: MetaDetails
}

/** https://developer.x.com/en/docs/x-for-websites/cards/overview/markup */
export interface TwitterCard {
  card?: string
  site?: string
  creator?: string
}

/** Times are kept as the page wrote them. */
export interface MetaDetails {
  author?: string
  published_time?: string
  modified_time?: string
}

/** How a page was read: by a plain GET or by a local Chromium. */
export type FetchMethod = 'http' | 'headless'

/** One finished look at a page: what is stored and answered, but for the `url` that each request brings itself. */
export interface PageResult extends Metadata {
  /** ISO 8601, UTC, milliseconds. */
  fetched_at: string
  fetch_method: FetchMethod
  response_time_ms: number
}
