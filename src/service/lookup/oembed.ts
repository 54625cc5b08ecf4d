import { consentTargetOf } from '../../core/walls/consent.ts'
import type { AllowRule } from '../../core/net/egress.ts'
import { mayBeLoginPage } from '../../core/walls/login-wall.ts'
import { endpointOf, requestOf } from '../../core/oembed/endpoints.ts'
import { readOembed, type OembedResult } from '../../core/oembed/result.ts'
import type { Budget, FetchedPage, Fetcher } from '../../core/fetch/ports.ts'
import type { SiteRule } from '../../core/sites/site-rule.ts'
import { isTitleOfWall } from '../../core/walls/site-walls.ts'
import { siteOf } from '../../core/sites/sites.ts'

export interface OembedLookupDeps {
  fetcher: Pick<Fetcher, 'oembed'>
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  /** The operator's rules for sites, which may change while the server runs. */
  sites: readonly SiteRule[]
}

/** An oEmbed response and the page that it describes. */
export interface OembedDescription extends OembedResult {
  page: URL
}

export type OembedLookup = ReturnType<typeof createOembedLookup>

/**
 * Requests the oEmbed description of a page. Null if there is no endpoint or no usable response.
 *
 * Uses the endpoint of a rule for the site, or else the one that the page declares, or else the endpoint of a known
 * provider. The URLs of all redirects are considered, the last one first, because a wall or consent page has another
 * URL than the requested page. The request is recorded in the trace of the page.
 */
export function createOembedLookup({ fetcher, allow, sites }: OembedLookupDeps) {
  function findRequest({ url, trace }: FetchedPage, declared: URL | null): { page: URL; endpoint: URL } | null {
    const [requested = url, ...redirects] = trace.hops.map((hop) => new URL(hop.url))
    const isLogin = trace.interstitial === 'login'
    const isConsent = trace.interstitial === 'consent'
    for (const candidate of [url, ...redirects.toReversed(), requested]) {
      // A rule's endpoint would otherwise be requested for the URL of the login page.
      if (isLogin && candidate.href !== requested.href && mayBeLoginPage(candidate)) continue
      const target = consentTargetOf(candidate)
      if (isConsent && candidate.href === url.href && target === null) continue
      const page = target ?? candidate
      const { oembed: rule } = siteOf(page.hostname, sites)
      if (rule === 'off') return null
      const own = candidate === url ? declared : null
      const endpoint = rule === undefined ? (own ?? endpointOf(page)) : requestOf(rule, page)
      if (endpoint !== null) return { page, endpoint }
    }
    return null
  }

  return async (fetched: FetchedPage, declared: URL | null, budget: Budget): Promise<OembedDescription | null> => {
    const { trace } = fetched
    const found = findRequest(fetched, declared)
    if (found === null) return null
    const { page, endpoint } = found
    const startedAt = performance.now()
    const record = (trace.oembed = { hops: [], durationMs: 0 } as NonNullable<typeof trace.oembed>)
    try {
      const response = await fetcher.oembed(endpoint, budget, record.hops, trace.hops)
      if ('failure' in response) {
        record.failure = response.failure
        return null
      }
      const description = readOembed(response, allow)
      // Some endpoints describe every page as the site itself.
      const isGeneric = isTitleOfWall(description?.metadata.title ?? '', siteOf(page.hostname, sites))
      if (description !== null && !isGeneric) return { ...description, page }
      record.failure = 'invalid response'
      return null
    } finally {
      record.durationMs = performance.now() - startedAt
    }
  }
}
