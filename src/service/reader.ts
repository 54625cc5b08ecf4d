import { FetchError } from '../core/errors.ts'
import { inFieldOrder } from '../core/extract/field-paths.ts'
import { chooseMethod, isChallenge, isUsable, prefersRendered, type PageVersion } from '../core/method.ts'
import type { FetchMethod, Metadata, PageResult } from '../core/metadata.ts'
import type { Budget, FetchedPage, Fetcher, PageContent, Renderer } from '../core/ports.ts'
import type { RenderFailure } from '../core/render-report.ts'
import type { FetchTrace } from '../core/trace.ts'
import { cacheKeyOf } from '../core/url.ts'
import type { Extracted, Extractor } from './extractor.ts'

/** The result of reading a page, with its details. */
export interface Reading {
  result: PageResult
  /** Where each value came from, by field. */
  sources: Extracted['sources']
  /** The plain HTTP response. Its trace also says whether the page was rendered, and why. */
  page: FetchedPage
  /**
   * The same request may get a better answer later: the page needed a browser and had none for want of time or room, or
   * its favicon could not be looked for in time. False where there is no browser at all, or where the page itself is why
   * it could not be rendered.
   */
  isProvisional: boolean
}

/** Render failures that may not happen again. A page that hangs looks the same as a short timeout. */
const PASSING_FAILURES: ReadonlySet<RenderFailure> = new Set(['busy', 'not_started', 'browser_gone', 'out_of_time'])

/** Whether the rule decides on rendering, or the caller requires it. */
export type MethodPreference = 'by rule' | 'headless'

export interface Reader {
  /**
   * Appends each hop to `trace` as it happens, so that it is known when reading fails.
   * @throws FetchError, or the signal's reason once no caller waits
   */
  read(url: URL, budget: Budget, trace?: FetchTrace, wish?: MethodPreference): Promise<Reading>
}

export interface ReaderDeps {
  fetcher: Fetcher
  /** Null where there is no browser. */
  renderer: Renderer | null
  extractor: Extractor
  /** Unix milliseconds. */
  now: () => number
}

/** The metadata of a page by one of the two methods. */
interface ExtractedVersion extends PageVersion {
  method: FetchMethod
  url: URL
  sources: Extracted['sources']
}

/** Reads pages: fetches, renders where a browser is needed, extracts, and looks for `/favicon.ico`. */
export function createReader({ fetcher, renderer, extractor, now }: ReaderDeps): Reader {
  function versionOf(page: PageContent & { status: number }, method: FetchMethod): ExtractedVersion {
    const { metadata, sources, evidence = null } = extractor.of(page)
    return { method, url: page.url, status: page.status, kind: page.kind, metadata, sources, evidence }
  }

  /** The better of the plain page and, if the rule or the caller asks for it, the rendered page. */
  async function bestVersion(
    page: FetchedPage,
    url: URL,
    budget: Budget,
    wish: MethodPreference,
  ): Promise<ExtractedVersion> {
    const http = versionOf(page, 'http')
    const isForced = wish === 'headless'
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
    const rendered = versionOf(outcome.page, 'headless')
    if (prefersRendered(http, rendered, isForced)) return rendered
    // Neither is the page; a challenge says why.
    return !isUsable(http) && isChallenge(rendered) ? rendered : http
  }

  /** False when it could not be found out in time whether there is one. */
  async function addFavicon({ url, metadata, sources }: ExtractedVersion, budget: Budget): Promise<boolean> {
    if (metadata.favicon) return true
    const icon = new URL('/favicon.ico', url)
    const isThere = await fetcher.hasIcon(icon, budget)
    if (isThere) {
      metadata.favicon = icon.href
      sources['favicon'] = '/favicon.ico'
    }
    return isThere !== null
  }

  return {
    async read(url, budget, trace, wish = 'by rule') {
      const startedAt = performance.now()
      const page = await fetcher.fetch(url, budget, trace)
      const version = await bestVersion(page, url, budget, wish)
      if (!isUsable(version)) throw failureOf(version)
      page.trace.answeredBy = version.method
      const isFaviconKnown = await addFavicon(version, budget)
      const responseTimeMs = Math.round(performance.now() - startedAt)
      const result = resultOf(version.metadata, new Date(now()), version.method, responseTimeMs)
      return { result, sources: version.sources, page, isProvisional: !isFaviconKnown || lacksBrowser(page.trace) }
    },
  }
}

function lacksBrowser({ method, rendering }: FetchTrace): boolean {
  if (method?.reason === 'no_time') return true
  return rendering?.failure !== undefined && PASSING_FAILURES.has(rendering.failure)
}

function failureOf(version: ExtractedVersion): FetchError {
  const { status } = version
  return status >= 400 && !isChallenge(version)
    ? new FetchError('http_status', `HTTP ${status}`, { siteStatus: status })
    : new FetchError('blocked_by_site', 'blocked by the site')
}

function resultOf(metadata: Metadata, fetchedAt: Date, method: FetchMethod, responseTimeMs: number): PageResult {
  return {
    ...inFieldOrder(metadata),
    fetched_at: fetchedAt.toISOString(),
    fetch_method: method,
    response_time_ms: responseTimeMs,
  }
}
