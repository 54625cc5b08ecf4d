import type { BotDefense } from '../../core/walls/bot-defenses.ts'
import { FetchError } from '../../core/errors.ts'
import type { Extraction } from '../../core/extract/extract.ts'
import { inFieldOrder } from '../../core/extract/fields/metadata.ts'
import {
  chooseMethod,
  hasContent,
  isBareShell,
  isShell,
  isUsable,
  isChallengeOrLogin,
  MIN_HEADLESS_MS,
  needsOembed,
  prefersRendered,
  type MethodResult,
} from '../../core/fetch/method.ts'
import type { FetchMethod, PageResult } from '../../core/fetch/page-result.ts'
import { filledFrom, withoutShellTitle } from '../../core/oembed/result.ts'
import type { Budget, FetchedPage, Fetcher, PageContent, Renderer } from '../../core/fetch/ports.ts'
import type { RenderHistory } from '../../core/fetch/render-history.ts'
import type { RenderFailure } from '../../core/fetch/render-report.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { inStep } from './steps.ts'
import { isoTime } from '../../core/iso-time.ts'
import { withRouteOnly } from '../../core/net/url.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { siteOf } from '../../core/sites/sites.ts'
import { wallOf } from '../../core/walls/walls.ts'
import type { Extractor } from './extractor.ts'
import type { OembedDescription, OembedLookup } from './oembed.ts'

/** The metadata of a page, and how it was obtained. */
export interface ReadResult extends Pick<Extraction, 'sources' | 'extra'> {
  result: PageResult
  /** The plain HTTP response. Its trace also records whether the page was rendered, and why. */
  page: FetchedPage
  /** The document after its scripts ran, if the metadata comes from it; null otherwise. */
  rendered: PageContent | null
  /**
   * Whether a later request may get a better result: the page should have been rendered but there was no time or free
   * slot, the favicon was not checked in time, or the connection was lost within the page. False without a browser, and for pages that cannot be rendered.
   */
  isProvisional: boolean
}

/** Whether a render failure may not happen again. A page that hangs looks the same as a short timeout. */
const IS_TRANSIENT: Record<RenderFailure, boolean> = {
  busy: true,
  out_of_time: true,
  not_started: true,
  browser_gone: true,
  crashed: false,
  unreachable: false,
  not_a_page: false,
}

/** `automatic` renders a page only when `chooseMethod` decides so; `headless` always. */
export type MethodPreference = 'automatic' | 'headless'

export interface ReaderDeps {
  settings: CurrentSettings<'sites'>
  fetcher: Fetcher
  /** Null when no browser is available. */
  renderer: Renderer | null
  extractor: Extractor
  /** Null if oEmbed is off. */
  oembed: OembedLookup | null
  /** Null disables rendering before the plain response. */
  history: RenderHistory | null
  now: () => number
}

/** A plain response or a rendered page. */
type ReadPage = PageContent & { status: number; defense?: BotDefense | null }

/** The metadata obtained with one of the two methods. */
interface ExtractedResult extends MethodResult, Pick<Extraction, 'sources' | 'extra' | 'oembed'> {
  method: FetchMethod
  url: URL
  content: PageContent
}

/** Reads pages: fetches them, renders them if needed, extracts the metadata, and checks for `/favicon.ico`. */
export function createReader(deps: ReaderDeps) {
  const { fetcher, renderer, extractor, oembed, history, settings, now } = deps

  /** @param previousUrls the requested URL and the redirects that led to the page, without its own URL */
  function extractResult(page: ReadPage, previousUrls: readonly URL[], method: FetchMethod): ExtractedResult {
    const { url, status, kind, defense = null } = page
    const { metadata, sources, extra = {}, evidence = null, oembed: declared = null } = extractor.of(page)
    const found = { url, status, metadata, evidence }
    const interstitial = wallOf({ ...found, previousUrls, defense, site: siteOf(url.hostname, settings().sites) })
    return { ...found, method, kind, sources, extra, interstitial, oembed: declared, content: page }
  }

  /** Returns the plain result, or the rendered one if rendering is chosen and better. */
  async function selectResult(
    page: FetchedPage,
    url: URL,
    budget: Budget,
    preference: MethodPreference,
    early: ReturnType<typeof startEarly>,
  ): Promise<ExtractedResult> {
    budget.beforeStep?.()
    const http = extractResult(page, previousUrlsOf(page), 'http')
    if (http.interstitial !== null) page.trace.interstitial = http.interstitial
    const isForced = preference === 'headless'
    const usesOembed = oembed !== null && !isForced && needsOembed(http)
    // The links of a wall are not used.
    const described = usesOembed ? await oembed(page, isUsable(http) ? http.oembed : null, budget) : null
    const hasOembed = described?.metadata.title !== undefined
    // Rendering that has already started needs no minimum time.
    const remainingMs = early === null ? budget.remainingMs() : Infinity
    const { render: rule } = siteOf(http.url.hostname, settings().sites)
    const choice = chooseMethod(http, { hasOembed, hasBrowser: renderer !== null, remainingMs, isForced, render: rule })
    page.trace.method = early !== null && isShell(choice) ? { method: 'headless', reason: 'learned' } : choice
    const plain = described === null ? http : withOembed(described, http)
    const note = (neededBrowser: boolean) => {
      // After a redirect to another host, the response says nothing about the requested host.
      if (page.url.host === url.host) history?.note(url.host, neededBrowser)
    }
    if (renderer === null || choice.method === 'http') {
      early?.[Symbol.dispose]()
      if (isUsable(http) && http.kind === 'html' && choice.reason !== 'no_time') note(false)
      return plain
    }

    const render = () => early?.outcome ?? renderer.render(new URL(withRouteOnly(url.href)), budget)
    const outcome = await inStep(page.trace, 'render', render)
    budget.signal.throwIfAborted()
    if ('failure' in outcome) {
      page.trace.rendering = { ...outcome.report, failure: outcome.failure }
      return plain
    }
    page.trace.rendering = outcome.report
    budget.beforeStep?.()
    const rendered = extractResult(outcome.page, [url], 'headless')
    const isBetter = prefersRendered(http, rendered, isForced || rule === 'always')
    if (outcome.page.isCut && !isBetter) page.trace.rendering.failure = 'out_of_time'
    else if (isShell(choice)) note(isBetter)
    if (isBetter) return described === null ? rendered : { ...rendered, ...filledFrom(rendered, described) }
    if (!isChallengeOrLogin(rendered) || hasContent(plain)) return plain
    // Neither result is usable. A rendered wall gives the more specific error.
    if (rendered.interstitial !== null) page.trace.interstitial = rendered.interstitial
    return rendered
  }

  return {
    /** @throws FetchError, or the reason of the budget's signal */
    async read(
      url: URL,
      budget: Budget,
      trace?: FetchTrace,
      preference: MethodPreference = 'automatic',
    ): Promise<ReadResult> {
      const startedAt = performance.now()
      using early = preference === 'automatic' ? startEarly(deps, url, budget) : null
      using stack = new DisposableStack()
      const page = stack.use(await fetcher.fetch(url, budget, trace))
      const selected = await selectResult(page, url, budget, preference, early)
      if (!isUsable(selected)) throw failureOf(selected)
      page.trace.usedMethod = selected.method
      const isFaviconKnown = await addFavicon(fetcher, selected, page.trace, budget)
      budget.beforeStep?.()
      const result: PageResult = {
        ...inFieldOrder(selected.metadata),
        fetched_at: isoTime(now()),
        fetch_method: selected.method,
        response_time_ms: Math.round(performance.now() - startedAt),
      }
      const rendered = selected.method === 'headless' ? selected.content : null
      const isProvisional = !isFaviconKnown || lacksBrowser(page.trace) || isCut(page.trace)
      const finalUrl = { value: withRouteOnly(selected.url.href), source: 'URL after redirects' }
      const extra = { final_url: finalUrl, ...selected.extra }
      stack.move()
      return { result, sources: selected.sources, extra, page, rendered, isProvisional }
    },
  }
}

/**
 * Starts rendering a page that probably needs it. The plain request runs in parallel and still decides. Disposing it
 * cancels the rendering.
 */
function startEarly({ renderer, history, settings }: ReaderDeps, url: URL, budget: Budget) {
  if (renderer === null || history?.needsBrowser(url.host) !== true) return null
  if (siteOf(url.hostname, settings().sites).render === 'never') return null
  if (budget.remainingMs() < MIN_HEADLESS_MS) return null
  const ending = new AbortController()
  const signal = AbortSignal.any([budget.signal, ending.signal])
  const outcome = renderer.render(new URL(withRouteOnly(url.href)), { ...budget, signal })
  return { outcome, [Symbol.dispose]: () => ending.abort(new Error('the page need not be rendered')) }
}

/** The plain result with the values of the oEmbed response. Values of a wall are not used. */
function withOembed(described: OembedDescription, http: ExtractedResult): ExtractedResult {
  if (isUsable(http)) return { ...http, ...filledFrom(isBareShell(http) ? withoutShellTitle(http) : http, described) }
  const { page, metadata, sources, extra } = described
  const usable = { status: 200, kind: 'html', evidence: null, interstitial: null } as const
  return { ...usable, method: 'http', url: page, metadata, sources, extra, oembed: null, content: http.content }
}

/** The requested URL and the redirects that led to the page. The trace may have a failed retry after it. */
function previousUrlsOf({ url, trace }: FetchedPage): URL[] {
  const pageIndex = trace.hops.findLastIndex((hop) => hop.url === url.href)
  return trace.hops.slice(0, pageIndex).map((hop) => new URL(hop.url))
}

/** Adds `/favicon.ico` if it exists. Returns false if it could not be checked in time. */
async function addFavicon(fetcher: Fetcher, page: ExtractedResult, trace: FetchTrace, budget: Budget) {
  const { url, metadata, sources } = page
  if (metadata.favicon) return true
  const icon = new URL('/favicon.ico', url)
  const startedAt = performance.now()
  const exists = await fetcher.hasIcon(icon, budget, trace.hops)
  trace.faviconMs = performance.now() - startedAt
  if (exists) {
    metadata.favicon = icon.href
    sources['favicon'] = '/favicon.ico'
  }
  return exists !== null
}

/** Whether the connection was lost before the end of the page. */
function isCut({ hops }: FetchTrace): boolean {
  return hops.at(-1)?.stopped === 'connection lost'
}

function lacksBrowser({ method, rendering }: FetchTrace): boolean {
  if (method?.reason === 'no_time') return true
  return rendering?.failure !== undefined && IS_TRANSIENT[rendering.failure]
}

function failureOf(extracted: ExtractedResult): FetchError {
  const { status } = extracted
  return status >= 400 && !isChallengeOrLogin(extracted)
    ? new FetchError('http_status', { reason: `HTTP ${status}`, siteStatus: status })
    : new FetchError('blocked_by_site')
}
