/* Interfaces for requests to sites: pages over HTTP and in Chromium, images and other files. */

import type { Charset } from '../extract/reading/charset.ts'
import type { ContentKind } from './content-type.ts'
import type { BotDefense } from '../walls/bot-defenses.ts'
import type { ImageFacts } from './image-facts.ts'
import type { RenderFailure, RenderReport } from './render-report.ts'
import type { PageScan } from '../extract/extract.ts'
import type { OembedResponse } from '../oembed/result.ts'
import type { FetchTrace, Hop } from './trace.ts'

/** For whom a page is fetched. */
export interface Principal {
  /** The user who started the fetch, for fair scheduling; null on the command line. */
  readonly userId: string | null
  /** Whether private hosts are refused even if the operator allows them. */
  readonly publicOnly: boolean
  /** The Accept-Language that the caller asks for. */
  readonly language?: string | undefined
}

/** The key of what was found at a URL, which callers who may not request private hosts do not share with the others. */
export const keyFor = (caller: Pick<Principal, 'publicOnly'> | null, url: string): string =>
  caller?.publicOnly ? `public ${url}` : url

/**
 * The time limit of a fetch. A fetch that is shared by several requests continues until the last of their deadlines, so
 * `remainingMs` can increase while it runs: call it again instead of storing the number.
 */
export interface Budget extends Principal {
  /** Aborts when no request waits for the fetch any more; its reason is the error to throw. */
  readonly signal: AbortSignal
  /** Milliseconds until the last deadline of the waiting requests; 0 when it has passed. */
  remainingMs(): number
  /** Sets the function to call when `remainingMs` increases; absent if it never does. */
  onExtended?: (run: () => void) => void
}

/** What a read page is stored and sent as. Texts, because they cross threads at little cost. */
export interface PageTexts {
  /** The JSON text of a `PageResult`. */
  json: string
  /** The JSON text of the `ResultDetails`; undefined if it is too large. */
  details: string | undefined
  /** Whether a later request may get a better result. */
  isProvisional: boolean
}

/**
 * Reads a page. Each hop is appended to `trace`.
 * @param listsTags whether the details list the tags of the page, which takes about as long as extraction
 * @throws FetchError, or the reason of the budget's signal once it aborts
 */
export type ReadTexts = (url: URL, budget: Budget, trace: FetchTrace, listsTags: boolean) => Promise<PageTexts>

/**
 * The final response after all redirects, with any status. Disposing it empties `bytes`, so that other pages can reuse
 * their buffer. This is optional: without it, the buffer is garbage-collected.
 */
export interface FetchedPage extends Disposable {
  /** The final URL, after redirects. */
  url: URL
  status: number
  kind: ContentKind
  /** The bot defense that sent the response, recognized by the response headers; null if there is none. */
  defense: BotDefense | null
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

/** The document after its scripts have run in a browser. `isCut` is true if time ran out before its metadata was ready. */
export type RenderedPage = PageContent & Pick<FetchedPage, 'status'> & { isCut: boolean }

export type RenderOutcome =
  { page: RenderedPage; report: RenderReport } | { failure: RenderFailure; report: RenderReport }

/** Renders pages that need JavaScript, in a browser. All its requests are subject to the same egress rules. */
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
  /** Null when it could not be fetched, is not an image, or is an SVG. */
  image: Image | null
}

/** Fetches preview images. */
export interface ImageFetcher {
  /** Never throws: a failure is a `problem` of the facts. */
  fetch(url: URL, signal: AbortSignal, caller: Principal): Promise<FetchedImage>
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
    options: { accept: string; maxBytes: number; caller: Principal },
    signal: AbortSignal,
  ): Promise<FetchedFile>
}
