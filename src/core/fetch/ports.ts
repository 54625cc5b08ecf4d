/* Interfaces for requests to sites: pages over HTTP and in Chromium, images and other files. */

import type { Charset } from '../extract/reading/charset.ts'
import type { ContentKind } from './content-type.ts'
import type { BotDefense } from '../walls/bot-defenses.ts'
import type { ImageFacts } from './image-facts.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'
import type { PageScan } from '../extract/extract.ts'
import type { OembedResponse } from '../oembed/result.ts'
import type { FetchTrace, Hop } from './trace.ts'

/** The user (by a key or in the playground), visitor or command line for which requests are sent to sites. */
export interface Caller {
  /**
   * The owner of the slots that the requests take: a user's id, or a name for callers without an account. Null on the
   * command line.
   */
  readonly userId: string | null
  /**
   * The client network of a visitor without an account. Visitors share slots, but each network has limits per minute.
   */
  readonly visitor?: string
  /** Whether private hosts are refused even if the operator allows them. */
  readonly publicOnly: boolean
  /** The Accept-Language that the caller requests. */
  readonly language?: string | undefined
}

/** Commands, whose user may request the private hosts that the configuration allows. */
export const COMMAND_LINE: Caller = { userId: null, publicOnly: false }

/** The cache key of a URL. Callers who may not request private hosts have their own entries. */
export const keyFor = (caller: Pick<Caller, 'publicOnly'> | null, url: string): string =>
  caller?.publicOnly ? `public ${url}` : url

/**
 * The time limit of a fetch. A fetch that several requests share continues until the last of their deadlines, so
 * `remainingMs` can increase while the fetch runs: call it again instead of storing the number.
 */
export interface Budget extends Caller {
  /** Aborts when no request waits for the fetch any more. The reason of the signal is the error to throw. */
  readonly signal: AbortSignal
  /** Milliseconds until the last deadline of the waiting requests; 0 after that deadline. */
  remainingMs(): number
  /** Sets the function to call when `remainingMs` increases. Absent if `remainingMs` never increases. */
  onExtended?: (run: () => void) => void
  /**
   * Called after each wait, before more of the page is processed. A worker then records which page it processes,
   * because it cannot report the page after the page has made it hang. Absent in the main thread.
   */
  readonly beforeStep?: () => void
}

/** The form in which a page is stored and sent: texts, because texts cross threads at little cost. */
export interface PageTexts {
  /** The JSON text of a `PageResult`. */
  json: string
  /** The JSON text of the `ResultDetails`; undefined if the text is too large. */
  details: string | undefined
  /** Whether a later request may get a better result. */
  isProvisional: boolean
}

/**
 * @param listsTags whether the details list the tags of the page, which takes about as long as extraction
 * @throws FetchError, or the reason of the budget's signal after it has aborted
 */
export type ReadTexts = (url: URL, budget: Budget, trace: FetchTrace, listsTags: boolean) => Promise<PageTexts>

/**
 * The final response after all redirects, with any status. Disposing empties `bytes`, so that other pages can reuse
 * their buffer. Disposing is optional: an undisposed buffer is garbage-collected.
 */
export interface FetchedPage extends Disposable {
  /** The URL after redirects. */
  url: URL
  status: number
  kind: ContentKind
  /** The bot defense that sent the response, recognized by the response headers; null if there is none. */
  defense: BotDefense | null
  /** The Refresh header, which browsers treat like a refresh in the page; null if there is none. */
  refresh?: string | null
  /** The canonical URL in the Link header, absolute or relative; null if there is none. */
  canonical?: string | null
  /** The file name that the response declares; '' if there is none. */
  fileName?: string
  /** The decompressed body, truncated at the size limit; the start of an SVG document; empty for other kinds. */
  bytes: Uint8Array
  charset: Charset
  /** The scan that read `bytes` as they arrived. */
  scan?: PageScan
  /** All hops, for `--explain` and the log. */
  trace: FetchTrace
}

export interface Fetcher {
  /**
   * GETs the page and follows redirects, applying the egress rules to each.
   * @throws FetchError, or the reason of the budget's signal after it has aborted
   */
  fetch(url: URL, budget: Budget, trace?: FetchTrace): Promise<FetchedPage>
  /**
   * Whether there is an image at `url`, such as a site's `/favicon.ico`. Cached for a day. Null if the time ran out; a
   * later call may have the result. Never throws, and never exceeds the budget.
   * @param after the earlier requests of the same fetch
   */
  hasIcon(url: URL, budget: Budget, after?: readonly Hop[]): Promise<boolean | null>
  /**
   * GETs an oEmbed endpoint like a page, within a part of the budget. Appends each hop to `hops` as it happens.
   * @param after the earlier requests of the same fetch
   * @throws the reason of the budget's signal after it has aborted
   */
  oembed(
    endpoint: URL,
    budget: Budget,
    hops: Hop[],
    after?: readonly Hop[],
  ): Promise<OembedResponse | { failure: string }>
}

export type PageContent = Pick<
  FetchedPage,
  'url' | 'kind' | 'bytes' | 'charset' | 'scan' | 'refresh' | 'canonical' | 'fileName'
>

/** The document after its scripts have run in a browser. `isCut` is true if time ran out before its metadata was ready. */
export type RenderedPage = PageContent & Pick<FetchedPage, 'status'> & { isCut: boolean }

export type RenderOutcome =
  { page: RenderedPage; report: RenderReport } | { failure: RenderFailure; report: RenderReport }

/**
 * Renders pages that need JavaScript in a browser. All requests of the browser are subject to the same egress rules.
 */
export interface Renderer {
  /** Finishes shortly before the budget runs out, so that the plain result can still be returned. Never throws. */
  render(url: URL, budget: Budget): Promise<RenderOutcome>
}

export interface Image {
  mimeType: string
  bytes: Uint8Array
}

export interface FetchedImage {
  facts: ImageFacts
  /** Null if the image could not be fetched, is not an image, or is an SVG. */
  image: Image | null
}

export interface ImageFetcher {
  /** Never throws. A failure is returned as the `problem` of the facts. */
  fetch(url: URL, signal: AbortSignal, caller: Caller): Promise<FetchedImage>
}

/**
 * The start of a file, or why it could not be fetched. `url` is the URL after redirects. `bytes` have no content
 * encoding, end at `maxBytes`, and are empty unless the status is 200.
 */
export type FetchedFile = { url: URL; status: number; bytes: Uint8Array } | { problem: string }

/** Fetches small files that belong to a page, such as its robots.txt. */
export interface FileFetcher {
  /** Never throws. */
  fetch(
    url: URL,
    options: { accept: string; maxBytes: number; caller: Caller; deadlineMs?: number },
    signal: AbortSignal,
  ): Promise<FetchedFile>
}
