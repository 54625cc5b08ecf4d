import { FetchError } from '../core/errors.ts'
import { chooseMethod, isUsable, prefersRendered, type Look } from '../core/method.ts'
import type { FetchMethod, Metadata, PageResult } from '../core/metadata.ts'
import type { Budget, FetchedPage, Fetcher, PageContent, RenderFailure, Renderer } from '../core/ports.ts'
import type { FetchTrace } from '../core/trace.ts'
import { cacheKeyOf } from '../core/url.ts'
import type { Extracted, Extractor } from './extractor.ts'

/** One finished look at a page, and how it came about. */
export interface Reading {
  result: PageResult
  /** Where each value came from, by field. */
  sources: Extracted['sources']
  /** The plain answer; its trace also tells whether the page was rendered, and why. */
  page: FetchedPage
  /**
   * The page needed a browser and had none for want of time or room: another caller, or the same a minute later, may get
   * a better answer. Not so where there is no browser at all, or where the page itself is why it could not be rendered.
   */
  isProvisional: boolean
}

/** Failures of the browser that say nothing of the page. A page that hangs is not to be told from a hasty caller. */
const PASSING_FAILURES: ReadonlySet<RenderFailure> = new Set(['busy', 'not_started', 'browser_gone', 'out_of_time'])

/** Who decides whether a page is rendered: the rule, or the caller, who wants it rendered. */
export type MethodWish = 'by rule' | 'headless'

export interface Reader {
  /**
   * The way there is noted in `trace` while it is gone, so that it can be told when the reading fails.
   * @throws FetchError, or the budget's reason once nobody waits
   */
  read(url: URL, budget: Budget, trace?: FetchTrace, wish?: MethodWish): Promise<Reading>
}

export interface ReaderParts {
  fetcher: Fetcher
  /** Null where there is no browser. */
  renderer: Renderer | null
  extractor: Extractor
  /** Unix milliseconds. */
  now: () => number
}

/** What a page says, by one of the two methods. */
interface Version extends Look {
  method: FetchMethod
  url: URL
  sources: Extracted['sources']
}

/** Reads pages: fetch, render where a browser is needed, extract, and ask for the favicon that every site may have. */
export function createReader({ fetcher, renderer, extractor, now }: ReaderParts): Reader {
  function versionOf(page: PageContent & { status: number }, method: FetchMethod): Version {
    const { metadata, sources, evidence = null } = extractor.of(page)
    return { method, url: page.url, status: page.status, kind: page.kind, metadata, sources, evidence }
  }

  /** The better one of the plain answer and, where the rule or the caller wants it, the rendered page. */
  async function bestVersion(page: FetchedPage, url: URL, budget: Budget, wish: MethodWish): Promise<Version> {
    const http = versionOf(page, 'http')
    const isForced = wish === 'headless'
    const remainingMs = budget.remainingMs()
    const choice = chooseMethod(http, { hasBrowser: renderer !== null, remainingMs, isForced })
    page.trace.method = choice
    if (renderer === null || choice.method === 'http') return http

    // Without fragment, as the result is stored without it.
    const outcome = await renderer.render(new URL(cacheKeyOf(url)), budget)
    budget.signal.throwIfAborted()
    if ('failure' in outcome) {
      page.trace.rendering = { ...outcome.report, failure: outcome.failure }
      return http
    }
    page.trace.rendering = outcome.report
    const rendered = versionOf(outcome.page, 'headless')
    return prefersRendered(http, rendered, isForced) ? rendered : http
  }

  async function addFavicon({ url, metadata, sources }: Version, budget: Budget): Promise<void> {
    if (metadata.favicon) return
    const icon = new URL('/favicon.ico', url)
    if (!(await fetcher.hasIcon(icon, budget))) return
    metadata.favicon = icon.href
    sources['favicon'] = '/favicon.ico'
  }

  return {
    async read(url, budget, trace, wish = 'by rule') {
      const startedAt = performance.now()
      const page = await fetcher.fetch(url, budget, trace)
      const version = await bestVersion(page, url, budget, wish)
      if (!isUsable(version)) throw failureOf(version)
      await addFavicon(version, budget)
      const responseTimeMs = Math.round(performance.now() - startedAt)
      const result = resultOf(version.metadata, new Date(now()), version.method, responseTimeMs)
      return { result, sources: version.sources, page, isProvisional: isProvisional(page.trace) }
    },
  }
}

function isProvisional({ method, rendering }: FetchTrace): boolean {
  if (method?.reason === 'no_time') return true
  return rendering?.failure !== undefined && PASSING_FAILURES.has(rendering.failure)
}

function failureOf({ status }: Version): FetchError {
  return status >= 400
    ? new FetchError('http_status', `HTTP ${status}`)
    : new FetchError('blocked_by_site', 'blocked by the site')
}

/** In the order of the specification, which is the order of the answer's JSON. */
function resultOf(metadata: Metadata, fetchedAt: Date, method: FetchMethod, responseTimeMs: number): PageResult {
  const { canonical_url, title, description, image, favicon, site_name, type, locale, twitter_card, meta } = metadata
  const fields = { canonical_url, title, description, image, favicon, site_name, type, locale, twitter_card, meta }
  return {
    ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Metadata),
    fetched_at: fetchedAt.toISOString(),
    fetch_method: method,
    response_time_ms: responseTimeMs,
  }
}
