import { sniffCharset } from '../core/extract/reading/charset.ts'
import { needsConversion } from '../core/extract/reading/transcode.ts'
import { defenseOf } from '../core/walls/bot-defenses.ts'
import type { PageScan } from '../core/extract/extract.ts'
import type { FetchedPage, Fetcher } from '../core/fetch/ports.ts'
import { redirectTarget } from '../core/net/redirect.ts'
import { withoutFragment } from '../core/net/url.ts'
import { siteOf } from '../core/sites/sites.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { untilAborted } from './response/abort.ts'
import { readBody, type BodyContext } from './response/body.ts'
import { MAX_REQUESTS_PER_HOST } from './connection/connections.ts'
import type { Route } from './connection/dial.ts'
import { createIconProbe } from './icon-probe.ts'
import { type NetworkOptions, openNetwork } from './connection/network.ts'
import { createOembedClient } from './oembed.ts'
import { startRedirectChain, followRedirects, type FinalResponse, type RedirectChain } from './connection/redirects.ts'
import { type ConcurrencyLimit, createSlots, type Slots } from './connection/slots.ts'
import type { PageRequest } from './connection/requester.ts'
import { turnBudget } from './response/turn-budget.ts'

export interface FetcherDeps extends NetworkOptions {
  /** Whether `userAgent` is our own (default): rules may replace it, and a 403 or 406 is retried once as a browser. */
  isDefaultUserAgent?: boolean
  slots: FetchSlots
  /** Starts the scan of a page that is about to arrive from this URL. */
  startScan: (url: URL) => PageScan
  /** The target of a page that only redirects, absolute or relative; null for others. */
  refreshOf?: (page: FetchedPage) => string | null
  /** Called before a part of a page is processed, with the trace of its fetch. */
  beforeParsing?: (trace: FetchTrace) => void
}

/** The slots of requests for pages, oEmbed responses included, and for favicons. */
export type FetchSlots = Record<'pages' | 'icons', Slots>

/** Slots for up to `concurrency` concurrent requests for pages. */
export function createFetchSlots(concurrency: number) {
  return {
    pages: createSlots({ total: concurrency }),
    icons: createSlots({ total: MAX_ICON_REQUESTS }),
  } satisfies FetchSlots
}

/** Browsers follow 20; real sites need a few. */
const MAX_REDIRECTS = 10

/** Many hosts can share an address; a large CDN serves thousands from one. */
const MAX_REQUESTS_PER_ADDRESS = 64

/** The maximum number of concurrent favicon requests, besides those for pages. They are small, one a day per site. */
const MAX_ICON_REQUESTS = 32

/** Of longer pages, one is extracted per turn of the event loop: 2 MB of hostile HTML take up to 8 ms. */
const LONG_PAGE_BYTES = 512 * 1024

/** With less time left, a retry would probably turn a 403 into a timeout. */
const MIN_RETRY_MS = 1_000

/** Statuses with which sites refuse clients that are not browsers. */
const RETRY_AS_BROWSER_STATUSES: readonly number[] = [403, 406]

const BROWSER_USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Fetches pages and checks icons. Every connection goes through the guard. Disposing it aborts pending requests. */
export function createFetcher(deps: FetcherDeps): Fetcher & AsyncDisposable {
  const { userAgent, sites, acceptLanguage, isDefaultUserAgent = true, slots, startScan } = deps
  const { refreshOf = () => null, beforeParsing = () => {} } = deps
  const network = openNetwork(deps, { limitsOf, closedError: 'The fetcher is closed' })
  const { closing } = network
  const send = network.requester(slots.pages)
  const shared = { userAgent, sites, acceptLanguage }

  // An operator's User-Agent is sent to all sites, except those for which the operator has a rule.
  const userAgentRules: RedirectChain['userAgentRules'] = isDefaultUserAgent ? 'all' : 'operator'
  const isRejected = ({ status, url }: FetchedPage) =>
    isDefaultUserAgent &&
    RETRY_AS_BROWSER_STATUSES.includes(status) &&
    siteOf(url.hostname, sites).userAgent === undefined

  // Refreshes of error pages are not followed.
  const nextOf = (page: FetchedPage) => {
    beforeParsing(page.trace)
    return page.status < 400 ? refreshOf(page) : null
  }

  const readPage =
    ({ signal, trace }: RedirectChain) =>
    (final: FinalResponse) => {
      const { url, hop } = final
      return pageOf(final, { scan: startScan(url), beforeScan: () => beforeParsing(trace), hop, signal }, trace)
    }

  return {
    async fetch(url, budget, trace = { hops: [] }) {
      const signal = AbortSignal.any([budget.signal, closing])
      const start = { ...shared, send, signal, caller: budget, trace, userAgentRules }
      let chain = startRedirectChain({ ...start, redirectsLeft: MAX_REDIRECTS })
      let page = await followRedirects(chain, new URL(withoutFragment(url.href)), 'caller', readPage(chain))

      if (isRejected(page) && budget.remainingMs() >= MIN_RETRY_MS) {
        const second = { ...chain, userAgent: BROWSER_USER_AGENT, userAgentRules: 'none' as const }
        try {
          page = await followRedirects(second, page.url, 'retry as browser', readPage(second))
          chain = second
        } catch {
          // If the retry fails, the first response is used.
          signal.throwIfAborted()
        }
      }
      for (let target = nextOf(page); target !== null; target = nextOf(page)) {
        const refresh = redirectTarget(target, page.url)
        if (refresh === 'invalid') break
        trace.hops.at(-1)!.location = refresh.next.href
        page = await followRedirects(chain, refresh.next, 'refresh', readPage(chain))
      }
      return page
    },
    oembed: createOembedClient({ ...shared, send, userAgentRules, closing }),
    hasIcon: createIconProbe({ ...shared, send: network.requester(slots.icons), closing }),
    async [Symbol.asyncDispose]() {
      network[Symbol.dispose]()
    },
  }
}

function limitsOf({ url }: PageRequest, { pinned }: Route): ConcurrencyLimit[] {
  return [
    { key: `host ${url.host}`, limit: MAX_REQUESTS_PER_HOST },
    { key: `address ${pinned[0]}`, limit: MAX_REQUESTS_PER_ADDRESS },
  ]
}

async function pageOf(
  { url, response, status, hop }: FinalResponse,
  context: BodyContext,
  trace: FetchTrace,
): Promise<FetchedPage> {
  const { kind, body, bytes, isWhole } = await readBody(response, context)
  const charset = sniffCharset({ bytes, contentType: hop.contentType ?? '', isWhole })
  if (kind === 'html') {
    hop.charset = charset
    // A converted page is scanned again, in one step, when its metadata is extracted.
    const takesLong = bytes.length > LONG_PAGE_BYTES || needsConversion(charset.encoding)
    if (takesLong) await untilAborted(turnBudget.alone(), context.signal)
  }
  const page: FetchedPage = {
    url,
    status,
    kind,
    defense: defenseOf(status, response.headers),
    bytes,
    charset,
    scan: context.scan,
    trace,
    [Symbol.dispose]() {
      page.bytes = new Uint8Array()
      body[Symbol.dispose]()
    },
  }
  return page
}
