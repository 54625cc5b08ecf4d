import type { Charset } from './charset.ts'
import type { ContentKind } from './content-type.ts'
import type { Defence } from './defences.ts'
import type { ImageFacts } from './image-facts.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'
import type { PageScan } from './extract/extract.ts'
import type { OembedResponse } from './oembed/result.ts'
import type { FetchTrace, Hop } from './trace.ts'

export type { PageScan }

/**
 * The time limit of a fetch. A fetch that is shared by several requests continues until the last of their deadlines, so
 * `remainingMs` can increase while it runs: call it again instead of storing the number.
 */
export interface Budget {
  /** The user who started the fetch, for fair scheduling; null on the command line. */
  readonly userId: string | null
  /** Aborts when no request waits for the fetch any more; its reason is the error to throw. */
  readonly signal: AbortSignal
  /** Milliseconds until the last deadline of the waiting requests; 0 when it has passed. */
  remainingMs(): number
}

/** The final response after all redirects, with any status. */
export interface FetchedPage {
  /** The final URL, after redirects. */
  url: URL
  status: number
  kind: ContentKind
  /** The bot defence that sent the response, as far as its head shows; null for none. */
  defence: Defence | null
  /** The MIME type from the header or the bytes, in lower case without parameters; '' when unknown. */
  mimeType: string
  /** The decompressed body, truncated at the size limit; empty unless `kind` is html. */
  bytes: Uint8Array
  /** The encoding of `bytes`. */
  charset: Charset
  /** The scan that has already read `bytes` as they arrived. */
  scan?: PageScan
  /** All hops, for `--explain` and the log. */
  trace: FetchTrace
}

/** Fetches pages over HTTP. */
export interface Fetcher {
  /**
   * GETs the page and follows redirects, applying the egress rules to each. Appends each hop to `trace` as it happens,
   * so that the trace is available when the fetch fails.
   * @throws FetchError, or the reason of the budget's signal once it aborts
   */
  fetch(url: URL, budget: Budget, trace?: FetchTrace): Promise<FetchedPage>
  /**
   * Whether there is an image at `url`, such as a site's `/favicon.ico`. Cached for a day. Null when the time ran out;
   * a later call may have the result. Never throws, and never exceeds the budget.
   *
   * @param after the earlier requests of the same fetch
   */
  hasIcon(url: URL, budget: Budget, after?: readonly Hop[]): Promise<boolean | null>
  /**
   * GETs an oEmbed endpoint like a page, within a part of the budget. Appends each hop to `hops` as it happens.
   * @param after the earlier requests of the same fetch
   * @throws the reason of the budget's signal once it aborts
   */
  oembed(
    endpoint: URL,
    budget: Budget,
    hops: Hop[],
    after?: readonly Hop[],
  ): Promise<OembedResponse | { failure: string }>
}

/** The page content from which metadata is extracted. */
export type PageContent = Pick<FetchedPage, 'url' | 'kind' | 'bytes' | 'charset' | 'scan'>

/** The document after its scripts have run in a browser. */
export interface RenderedPage extends PageContent {
  /** The HTTP status of the document's response. */
  status: number
}

export type RenderOutcome =
  { page: RenderedPage; report: RenderReport } | { failure: RenderFailure; report: RenderReport }

/** Renders pages that need JavaScript, in a browser. All its requests are subject to the same egress rules. */
export interface Renderer {
  /**
   * Finishes shortly before the budget runs out, so that the caller can still return the plain result. Never throws.
   */
  render(url: URL, budget: Budget): Promise<RenderOutcome>
}

/** Records which hosts have pages that need a browser. The number of hosts is limited. Never throws. */
export interface RenderHistory {
  /** Whether the last pages of the host needed a browser. */
  needsBrowser(host: string): boolean
  /** Records whether a page of the host needed a browser. If not, the host is removed. */
  note(host: string, neededBrowser: boolean): void
}

/** A host whose last pages needed a browser. */
export interface RenderedHost {
  /** With its port, if that is not the default. */
  host: string
  /** Unix milliseconds of a recent page that needed a browser. Not updated with every page. */
  confirmedAtMs: number
}

/** Keeps the hosts of `RenderHistory` across restarts. The number of hosts is limited. */
export interface RenderedHosts {
  /** All hosts, the most recently confirmed first. */
  list(): Promise<RenderedHost[]>
  /** Stores or updates a host. Deletes the least recently confirmed hosts when there are too many. */
  put(host: RenderedHost): Promise<void>
  delete(host: string): Promise<void>
  /**
   * Deletes hosts confirmed before `confirmedBeforeMs`, and those confirmed after `confirmedAfterMs` while the clock
   * was ahead; returns how many.
   */
  sweep(confirmedBeforeMs: number, confirmedAfterMs: number): Promise<number>
}

export interface Image {
  mimeType: string
  bytes: Uint8Array
}

/** The response to a request for an image. */
export interface FetchedImage {
  facts: ImageFacts
  /** Null when it could not be fetched, is not an image, or is an SVG. */
  image: Image | null
}

/** Fetches preview images. */
export interface ImageFetcher {
  /** Never throws: a failure is a `problem` of the facts. */
  fetch(url: URL, signal: AbortSignal): Promise<FetchedImage>
}

/** A counter of requests per clock minute, such as those of a key, and its limit. */
export interface MinuteCount {
  key: string
  limit: number
}

/** The state of the current clock minute, after a request was counted or refused. */
export interface RateLimitStatus {
  allowed: boolean
  /** Requests left in the minute, by the strictest of the counters. */
  remaining: number
  /** Unix second at which the next window starts. */
  resetsAt: number
}

/** The start of a file, or why it could not be fetched. */
export type FetchedFile =
  | {
      /** After redirects. */
      url: URL
      status: number
      /** Without content encoding, cut at `maxBytes`; empty unless the status is 200. */
      bytes: Uint8Array
    }
  | { problem: string }

/** Fetches small files that belong to a page, such as its robots.txt. */
export interface FileFetcher {
  /** Never throws. */
  fetch(url: URL, options: { accept: string; maxBytes: number }, signal: AbortSignal): Promise<FetchedFile>
}

/** The robots.txt files that were read, by origin. Their memory is limited. */
export interface RobotsCache {
  /** Null when it was not read, or was removed to make room for newer ones. */
  get(origin: string): { text: string; readAtMs: number } | null
  put(origin: string, file: { text: string; readAtMs: number }): void
}

export interface RateLimiter {
  /**
   * Counts one request in every counter, or in none if one of them has reached its limit in this clock minute. Atomic.
   */
  take(counts: readonly MinuteCount[], nowMs: number): Promise<RateLimitStatus>
  /** Raises each count of `to` to the highest count of `from` in this clock minute. */
  carry(from: readonly string[], to: readonly string[], nowMs: number): Promise<void>
}

/** A stored result: the JSON text of a `PageResult`. */
export interface StoredResult {
  json: string
  storedAtMs: number
  /** The JSON text of its `ResultDetails`, for the playground; absent when they were too large. */
  details?: string
}

/** Where a stored result was found. */
export type CacheLayer = 'memory' | 'database' | 'redis'

export interface FoundResult extends StoredResult {
  layer: CacheLayer
}

export interface ResultCache {
  /**
   * The stored result, which may have expired. Its details, which take more memory than the result, may be missing unless
   * `withDetails` is set.
   */
  get(cacheKey: string, options?: { withDetails: boolean }): Promise<FoundResult | null>
  /** Stores or replaces a result. Deletes the oldest results when there are too many. */
  put(cacheKey: string, result: StoredResult): Promise<void>
  /** The number of stored results. */
  count(): Promise<number>
  /**
   * Deletes results stored before `storedBeforeMs`, and those stored after `storedAfterMs` while the clock was ahead.
   * Works in small steps; returns how many were deleted.
   */
  sweep(storedBeforeMs: number, storedAfterMs?: number): Promise<number>
}

/** The exclusive right to fetch a page, which one process has at a time. */
export interface FetchLease {
  /** Whether other processes take such leases: one of them may have stored a result since the cache was read. */
  readonly isShared: boolean
  /** Releases the lease. Never rejects; a lease that is not released expires. */
  release(): Promise<void>
}

/** Leases of pages among all processes. */
export interface FetchLeases {
  /** Takes the lease of a page; null while another process has it. Does not wait. */
  acquire(cacheKey: string): Promise<FetchLease | null>
}

/** Results of the playground, kept for a while so that their pages can be reloaded. */
export interface PlaygroundResults {
  /**
   * Stores or replaces a result. Deletes the oldest results of the user, and then those of all users, when there are
   * too many or they are too large. A result that is too large alone is not stored.
   */
  put(result: { id: string; userId: string; json: string; expiresAtMs: number }): Promise<void>
  /** The text of the user's result; null when it is unknown, expired or another user's. */
  get(userId: string, id: string, nowMs: number): Promise<string | null>
  /** Deletes expired results; returns how many. */
  sweep(nowMs: number): Promise<number>
}
