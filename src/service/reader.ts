import { FetchError } from '../core/errors.ts'
import type { FetchMethod, Metadata, PageResult } from '../core/metadata.ts'
import type { Budget, FetchedPage, Fetcher } from '../core/ports.ts'
import type { FetchTrace } from '../core/trace.ts'
import type { Extracted, Extractor } from './extractor.ts'

/** One finished look at a page, and how it came about. */
export interface Reading {
  result: PageResult
  /** Where each value came from, by field. */
  sources: Extracted['sources']
  page: FetchedPage
}

export interface Reader {
  /**
   * The way there is noted in `trace` while it is gone, so that it can be told when the reading fails.
   * @throws FetchError, or the budget's reason once nobody waits
   */
  read(url: URL, budget: Budget, trace?: FetchTrace): Promise<Reading>
}

export interface ReaderParts {
  fetcher: Fetcher
  extractor: Extractor
  /** Unix milliseconds. */
  now: () => number
}

/** Reads pages: fetch, extract, and ask for the favicon that every site may have. */
export function createReader({ fetcher, extractor, now }: ReaderParts): Reader {
  async function faviconOf(page: FetchedPage, budget: Budget): Promise<string | undefined> {
    const icon = new URL('/favicon.ico', page.url)
    return (await fetcher.hasIcon(icon, budget)) ? icon.href : undefined
  }

  return {
    async read(url, budget, trace) {
      const startedAt = performance.now()
      const page = await fetcher.fetch(url, budget, trace)
      if (page.status >= 400) throw new FetchError('http_status', `HTTP ${page.status}`)

      const { metadata, sources, evidence } = extractor.of(page)
      if (evidence?.interstitial) throw new FetchError('blocked_by_site', 'blocked by the site')
      if (!metadata.favicon) {
        const favicon = await faviconOf(page, budget)
        if (favicon) {
          metadata.favicon = favicon
          sources['favicon'] = '/favicon.ico'
        }
      }
      const method: FetchMethod = 'http'
      const responseTimeMs = Math.round(performance.now() - startedAt)
      return { result: resultOf(metadata, new Date(now()), method, responseTimeMs), sources, page }
    },
  }
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
