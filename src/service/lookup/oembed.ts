import { consentTargetOf } from '../../core/walls/consent.ts'
import { type WallKind, wallKindOf } from '../../core/walls/interstitial.ts'
import { mayBeLoginPage } from '../../core/walls/login-wall.ts'
import { endpointOf, requestOf } from '../../core/oembed/endpoints.ts'
import { readOembed, type OembedResult } from '../../core/oembed/result.ts'
import type { Budget, FetchedPage, Fetcher } from '../../core/fetch/ports.ts'
import { inStep } from './steps.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { isTitleOfWall } from '../../core/walls/site-walls.ts'
import { siteOf } from '../../core/sites/sites.ts'

export interface OembedLookupDeps {
  fetcher: Pick<Fetcher, 'oembed'>
  settings: CurrentSettings<'allow' | 'sites'>
}

export interface OembedDescription extends OembedResult {
  page: URL
}

export type OembedLookup = ReturnType<typeof createOembedLookup>

/**
 * Whether a URL of the redirect chain belongs to the wall instead of the page. Such a URL must not select the endpoint
 * of a rule.
 */
const BELONGS_TO_WALL: Record<WallKind, ((candidate: URL, chain: { requested: URL; final: URL }) => boolean) | null> = {
  challenge: null,
  consent: (candidate, { final }) => candidate.href === final.href && consentTargetOf(candidate) === null,
  login: (candidate, { requested }) => candidate.href !== requested.href && mayBeLoginPage(candidate),
}

/**
 * Requests the oEmbed description of a page. Null if there is no endpoint or no usable response.
 *
 * Uses the endpoint of a rule for the site, else the endpoint that the page declares, else the endpoint of a known
 * provider. The URLs of all redirects are considered, the last first, because a wall or consent page has another URL
 * than the requested page. The trace of the page records the request.
 */
export function createOembedLookup({ fetcher, settings }: OembedLookupDeps) {
  function findRequest({ url, trace }: FetchedPage, declared: URL | null): { page: URL; endpoint: URL } | null {
    const [requested = url, ...redirects] = trace.hops.map((hop) => new URL(hop.url))
    const { sites } = settings()
    const belongsToWall = trace.interstitial === undefined ? null : BELONGS_TO_WALL[wallKindOf(trace.interstitial)]
    for (const candidate of [url, ...redirects.toReversed(), requested]) {
      if (belongsToWall?.(candidate, { final: url, requested })) continue
      const page = consentTargetOf(candidate) ?? candidate
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
      const response = await inStep(trace, 'oembed', () => fetcher.oembed(endpoint, budget, record.hops, trace.hops))
      if ('failure' in response) {
        record.failure = response.failure
        return null
      }
      const { allow, sites } = settings()
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
