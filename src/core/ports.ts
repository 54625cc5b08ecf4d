import type { Charset } from './charset.ts'
import type { ContentKind } from './content-type.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'
import type { PageScan } from './extract/extract.ts'
import type { FetchTrace } from './trace.ts'

export type { PageScan }

/**
 * The time one piece of work may take. A shared fetch lives as long as anybody waits for it, so the time left can grow
 * while it runs: ask again instead of keeping the number.
 */
export interface Budget {
  /** Who began it, for a fair share of what is bounded; null where nobody shares. */
  readonly userId: string | null
  /** Aborts when nobody waits any more; its reason is the error to throw. */
  readonly signal: AbortSignal
  /** Milliseconds until the last waiter gives up; 0 when that has passed. */
  remainingMs(): number
}

/** The final answer of a target after all redirects, whatever its status. */
export interface FetchedPage {
  /** The URL the answer came from, after redirects. */
  url: URL
  status: number
  kind: ContentKind
  /** What the answer is, from its header or its bytes: in lower case without parameters, or '' when nothing tells. */
  mimeType: string
  /** The decoded (uncompressed) body, cut at the byte cap; empty unless `kind` is html. */
  bytes: Uint8Array
  /** How `bytes` become text. */
  charset: Charset
  /** What has read `bytes` already, as they arrived. */
  scan?: PageScan
  /** The way there, for `--explain` and the log. */
  trace: FetchTrace
}

/** The one way out to the network. */
export interface Fetcher {
  /**
   * GETs the page, following redirects, each judged anew. The way is noted in `trace` while it is gone: who hands one
   * in can tell it even when the fetch fails.
   * @throws FetchError, or the budget's reason once nobody waits
   */
  fetch(url: URL, budget: Budget, trace?: FetchTrace): Promise<FetchedPage>
  /**
   * Whether there is an image at `url`, such as a site's `/favicon.ico`; remembered for a day. Null when that could not
   * be found out in time: a later call may know. Never throws and never takes more than the budget.
   */
  hasIcon(url: URL, budget: Budget): Promise<boolean | null>
}

/** What metadata is read from. */
export type PageContent = Pick<FetchedPage, 'url' | 'kind' | 'bytes' | 'charset' | 'scan'>

/** A page as its own scripts have made it, in a browser. */
export interface RenderedPage extends PageContent {
  /** Of the answer that the document came with. */
  status: number
}

export type RenderOutcome =
  { page: RenderedPage; report: RenderReport } | { failure: RenderFailure; report: RenderReport }

/** A browser, for pages that only their scripts can make. Everything it loads goes through the same guard. */
export interface Renderer {
  /** Ends a moment before the budget does, so that there is time to answer with what is known otherwise. Never throws. */
  render(url: URL, budget: Budget): Promise<RenderOutcome>
}

export interface Image {
  mimeType: string
  bytes: Uint8Array
}

/** Pictures for people to look at. */
export interface ImageFetcher {
  /** The picture, or null for whatever reason there is none to show. */
  fetch(url: URL, gone: AbortSignal): Promise<Image | null>
}

/** Requests of one clock minute that are counted together, such as those of a key, and the most there may be. */
export interface MinuteCount {
  key: string
  limit: number
}

/** What the current clock minute still allows, after one request was counted or refused. */
export interface RateLimitStatus {
  allowed: boolean
  /** The smallest remainder of all counts. */
  remaining: number
  /** Unix second at which the window turns. */
  resetsAt: number
}

export interface RateLimiter {
  /**
   * Counts one request in each of `counts`, unless one of them has reached its limit in this clock minute: then in none.
   * Atomic.
   */
  take(counts: readonly MinuteCount[], nowMs: number): Promise<RateLimitStatus>
}

/** A stored answer: the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
}

export interface ResultCache {
  /** What is stored under the key, fresh or not. */
  get(cacheKey: string): Promise<StoredResult | null>
  /** Stores or replaces; the oldest results go when there are too many. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  /** How many results are stored. */
  count(): Promise<number>
  /** Drops what was stored before the time; says how many were dropped. */
  sweep(storedBeforeMs: number): Promise<number>
}
