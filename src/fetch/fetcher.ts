import { fileNameOf } from '../core/fetch/content-disposition.ts'
import { sniffCharset } from '../core/extract/reading/charset.ts'
import { undeclaredEncoding } from '../core/extract/reading/undeclared-encoding.ts'
import { needsConversion } from '../core/extract/reading/transcode.ts'
import { defenseOf } from '../core/walls/bot-defenses.ts'
import type { PageScan } from '../core/extract/extract.ts'
import type { FetchedPage, Fetcher } from '../core/fetch/ports.ts'
import { fieldValue } from '../core/net/header-fields.ts'
import { canonicalLinkOf } from '../core/net/link-header.ts'
import { redirectTarget } from '../core/net/redirect.ts'
import { withoutFragment } from '../core/net/url.ts'
import { siteOf } from '../core/sites/sites.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { timed } from './response/timed.ts'
import { untilAborted } from './response/abort.ts'
import { readBody, type BodyContext } from './response/body.ts'
import { MAX_REQUESTS_PER_HOST } from './connection/connections.ts'
import type { Route } from './connection/dial.ts'
import { createIconProbe } from './icon-probe.ts'
import { type NetworkOptions, openNetwork } from './connection/network.ts'
import { createOembedClient } from './oembed.ts'
import {
  followRedirects,
  type FinalResponse,
  type RedirectChain,
  startRedirectChain,
  wasSent,
} from './connection/redirects.ts'
import { type ConcurrencyLimit, createSlots, type Slots } from './connection/slots.ts'
import type { PageRequest } from './connection/requester.ts'
import { guessEncoding } from './response/guess-encoding.ts'
import { turnBudget } from './response/turn-budget.ts'

export interface FetcherDeps extends NetworkOptions {
  /**
   * Whether `userAgent` is this service's own, which is the default. If so, rules for sites may replace it, and a 403
   * or 406 is retried once with a browser's User-Agent.
   */
  isDefaultUserAgent?: boolean
  slots: FetchSlots
  /** Starts the scan of a page whose body is about to arrive from `url`. */
  startScan: (url: URL) => PageScan
  /** The target of a page that only redirects, absolute or relative; null for other pages. */
  refreshOf?: (page: FetchedPage) => string | null
}

/** `pages` is for pages and oEmbed responses, `icons` for favicons. */
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

/** Many hosts can share an address: a large CDN serves thousands from one address. */
const MAX_REQUESTS_PER_ADDRESS = 64

/**
 * The maximum number of concurrent favicon requests, in addition to requests for pages. Favicons are small, and the
 * favicon of a site is requested once a day.
 */
const MAX_ICON_REQUESTS = 32

/** Only one longer page is extracted per turn of the event loop: 2 MB of hostile HTML take up to 8 ms. */
const LONG_PAGE_BYTES = 512 * 1024

/** With less time left, a retry would probably turn a 403 into a timeout. */
const MIN_RETRY_MS = 1_000

/** Statuses with which sites refuse clients that are not browsers. */
const RETRY_AS_BROWSER_STATUSES: readonly number[] = [403, 406]

const BROWSER_USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Fetches pages and checks icons. Every connection goes through the guard. Disposing it aborts pending requests. */
export function createFetcher(deps: FetcherDeps): Fetcher & AsyncDisposable {
  const { userAgent, settings, acceptLanguage, slots, startScan } = deps
  const { isDefaultUserAgent = true, refreshOf = () => null } = deps
  const network = openNetwork(deps, { limitsOf, closedError: 'The fetcher is closed' })
  const { closing } = network
  const send = network.requester(slots.pages)

  // An operator's User-Agent is sent to all sites, except those for which the operator has a rule.
  const userAgentRules: RedirectChain['userAgentRules'] = isDefaultUserAgent ? 'all' : 'operator'
  const shared = { userAgent, acceptLanguage, userAgentRules }
  const isRejected = ({ status, url }: FetchedPage) =>
    isDefaultUserAgent &&
    RETRY_AS_BROWSER_STATUSES.includes(status) &&
    siteOf(url.hostname, settings().sites).userAgent === undefined

  return {
    async fetch(url, budget, trace = { hops: [] }) {
      using _request = turnBudget.enter(budget.userId)
      const signal = AbortSignal.any([budget.signal, closing])
      const { beforeStep = () => {} } = budget
      const start = { ...shared, sites: settings().sites, send, signal, caller: budget, trace }
      const read = (final: FinalResponse) =>
        pageOf(final, { scan: startScan(final.url), beforeStep, hop: final.hop, user: budget.userId, signal }, trace)
      const nextOf = (fetched: FetchedPage) => {
        beforeStep()
        // Refreshes of error pages are not followed.
        return fetched.status < 400 ? refreshOf(fetched) : null
      }
      let chain = startRedirectChain({ ...start, redirectsLeft: MAX_REDIRECTS })
      let page = await followRedirects(chain, new URL(withoutFragment(url.href)), 'caller', read)

      if (isRejected(page) && budget.remainingMs() >= MIN_RETRY_MS) {
        const second = { ...chain, userAgent: BROWSER_USER_AGENT, userAgentRules: 'none' as const }
        try {
          page = await followRedirects(second, page.url, 'retry as browser', read)
          chain = second
        } catch {
          // If the retry fails, the first response is used.
          signal.throwIfAborted()
        }
      }
      for (let target = nextOf(page); target !== null; target = nextOf(page)) {
        const refresh = redirectTarget(target, page.url)
        if (refresh === 'invalid') break
        // A page that reloads itself is not a redirect, unless it has set a cookie.
        if (refresh.next.href === withoutFragment(page.url.href) && wasSent(chain, refresh.next)) break
        trace.hops.at(-1)!.location = refresh.next.href
        page = await followRedirects(chain, refresh.next, 'refresh', read)
      }
      return page
    },
    oembed: createOembedClient({ ...shared, settings, send, closing }),
    hasIcon: createIconProbe({ ...shared, settings, send: network.requester(slots.icons), closing }),
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
  const { kind, body, bytes, isWhole } = await timed(hop, 'bodyMs', () => readBody(response, context))
  const charset = sniffCharset({ bytes, contentType: hop.contentType ?? '', isWhole })
  if (charset.from === 'fallback') charset.encoding = undeclaredEncoding(bytes, context.scan, guessEncoding)
  if (kind === 'html') {
    hop.charset = charset
    // A converted page is scanned again, in one step, when its metadata is extracted.
    const takesLong = bytes.length > LONG_PAGE_BYTES || needsConversion(charset.encoding)
    if (takesLong) await untilAborted(turnBudget.alone(context.user), context.signal)
  }
  const page: FetchedPage = {
    url,
    status,
    kind,
    defense: defenseOf(status, response.fields),
    refresh: fieldValue(response.fields, 'refresh'),
    canonical: canonicalLinkOf(response.fields),
    fileName: fileNameOf(response.fields.get('content-disposition')?.[0] ?? ''),
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
