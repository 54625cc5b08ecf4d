import { FetchError } from '../core/errors.ts'
import { inFieldOrder } from '../core/extract/field-paths.ts'
import { chooseMethod, isChallenge, isUsable, prefersRendered, type MethodResult } from '../core/method.ts'
import type { FetchMethod, Metadata, PageResult } from '../core/metadata.ts'
import type { Budget, FetchedPage, Fetcher, PageContent, Renderer } from '../core/ports.ts'
import type { RenderFailure } from '../core/render-report.ts'
import type { FetchTrace } from '../core/trace.ts'
import { cacheKeyOf } from '../core/url.ts'
import type { Extracted, Extractor } from './extractor.ts'

/** The metadata of a page, and how it was obtained. */
export interface ReadResult {
  result: PageResult
  /** Where each value came from, by field. */
  sources: Extracted['sources']
  /** The plain HTTP response. Its trace also records whether the page was rendered, and why. */
  page: FetchedPage
  /** The document after its scripts ran, if the metadata comes from it; null otherwise. */
  rendered: PageContent | null
  /**
   * Whether a later request may get a better result: the page should have been rendered but there was no time or free
   * slot, or the favicon could not be checked in time. False when there is no browser at all, or when the page itself
   * cannot be rendered.
   */
  isProvisional: boolean
}

/** Render failures that may not happen again. A page that hangs looks the same as a short timeout. */
const TRANSIENT_FAILURES: ReadonlySet<RenderFailure> = new Set(['busy', 'not_started', 'browser_gone', 'out_of_time'])

/** `automatic` renders a page only when `chooseMethod` decides so; `headless` always. */
export type MethodPreference = 'automatic' | 'headless'

export interface Reader {
  /**
   * Appends each hop to `trace` as it happens, so that the trace is available when reading fails.
   * @throws FetchError, or the reason of the budget's signal once it aborts
   */
  read(url: URL, budget: Budget, trace?: FetchTrace, preference?: MethodPreference): Promise<ReadResult>
}

export interface ReaderDeps {
  fetcher: Fetcher
  /** Null when no browser is available. */
  renderer: Renderer | null
  extractor: Extractor
  /** Unix milliseconds. */
  now: () => number
}

/** The metadata obtained with one of the two methods. */
interface ExtractedResult extends MethodResult {
  method: FetchMethod
  url: URL
  sources: Extracted['sources']
  content: PageContent
}

/** Reads pages: fetches them, renders them if needed, extracts the metadata, and checks for `/favicon.ico`. */
export function createReader({ fetcher, renderer, extractor, now }: ReaderDeps): Reader {
  function extractResult(page: PageContent & { status: number }, method: FetchMethod): ExtractedResult {
    const { metadata, sources, evidence = null } = extractor.of(page)
    return { method, url: page.url, status: page.status, kind: page.kind, metadata, sources, evidence, content: page }
  }

  /** The plain result, or the rendered one if rendering is chosen and gives a better result. */
  async function selectResult(
    page: FetchedPage,
    url: URL,
    budget: Budget,
    preference: MethodPreference,
  ): Promise<ExtractedResult> {
    const http = extractResult(page, 'http')
    const isForced = preference === 'headless'
    const remainingMs = budget.remainingMs()
    const choice = chooseMethod(http, { hasBrowser: renderer !== null, remainingMs, isForced })
    page.trace.method = choice
    const interstitial = http.evidence?.interstitial
    if (interstitial) page.trace.interstitial = interstitial
    if (renderer === null || choice.method === 'http') return http

    // Without the fragment, because the cache key has none.
    const outcome = await renderer.render(new URL(cacheKeyOf(url)), budget)
    budget.signal.throwIfAborted()
    if ('failure' in outcome) {
      page.trace.rendering = { ...outcome.report, failure: outcome.failure }
      return http
    }
    page.trace.rendering = outcome.report
    const rendered = extractResult(outcome.page, 'headless')
    if (prefersRendered(http, rendered, isForced)) return rendered
    // Neither result is usable. A rendered challenge gives the more specific error.
    return !isUsable(http) && isChallenge(rendered) ? rendered : http
  }

  /** Adds `/favicon.ico` if it exists. Returns false when that could not be checked in time. */
  async function addFavicon({ url, metadata, sources }: ExtractedResult, budget: Budget): Promise<boolean> {
    if (metadata.favicon) return true
    const icon = new URL('/favicon.ico', url)
    const exists = await fetcher.hasIcon(icon, budget)
    if (exists) {
      metadata.favicon = icon.href
      sources['favicon'] = '/favicon.ico'
    }
    return exists !== null
  }

  return {
    async read(url, budget, trace, preference = 'automatic') {
      const startedAt = performance.now()
      const page = await fetcher.fetch(url, budget, trace)
      const selected = await selectResult(page, url, budget, preference)
      if (!isUsable(selected)) throw failureOf(selected)
      page.trace.usedMethod = selected.method
      const isFaviconKnown = await addFavicon(selected, budget)
      const responseTimeMs = Math.round(performance.now() - startedAt)
      const result = pageResultOf(selected.metadata, new Date(now()), selected.method, responseTimeMs)
      const rendered = selected.method === 'headless' ? selected.content : null
      const isProvisional = !isFaviconKnown || lacksBrowser(page.trace)
      return { result, sources: selected.sources, page, rendered, isProvisional }
    },
  }
}

function lacksBrowser({ method, rendering }: FetchTrace): boolean {
  if (method?.reason === 'no_time') return true
  return rendering?.failure !== undefined && TRANSIENT_FAILURES.has(rendering.failure)
}

function failureOf(extracted: ExtractedResult): FetchError {
  const { status } = extracted
  return status >= 400 && !isChallenge(extracted)
    ? new FetchError('http_status', `HTTP ${status}`, { siteStatus: status })
    : new FetchError('blocked_by_site', 'blocked by the site')
}

function pageResultOf(metadata: Metadata, fetchedAt: Date, method: FetchMethod, responseTimeMs: number): PageResult {
  return {
    ...inFieldOrder(metadata),
    fetched_at: fetchedAt.toISOString(),
    fetch_method: method,
    response_time_ms: responseTimeMs,
  }
}
