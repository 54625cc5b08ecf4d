import type { Config } from '../config.ts'
import type { Caller, FileFetcher, ImageFetcher } from '../core/fetch/ports.ts'
import type { ResultDetails } from '../core/fetch/result-details.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { createFileFetcher } from '../fetch/files.ts'
import { createImageFetcher, withImageCache } from '../fetch/images.ts'
import { APP_IDS } from '../previews/service/page-check.ts'
import { tagsOfPage } from '../previews/tags/list-page-tags.ts'
import { resultTags } from '../previews/tags/page-tags.ts'
import { pageTexts } from '../service/lookup/page-texts.ts'
import type { WaitOptions } from '../service/lookup/single-flight.ts'
import { readSitemap } from '../service/lookup/sitemap.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { PROJECT_URL } from '../version.ts'
import { openPageReader } from './page-reader.ts'
import { networkOptions } from './page-settings.ts'
import { createPreviews } from './previews.ts'
import { owning } from './owning.ts'
import { systemDeps } from './system-deps.ts'

/** A site that is served from another origin until it is published. Both are origins: `https://example.com`. */
export interface UnpublishedSite {
  servedAt: string
  publishedAt: string
}

interface PageCheckOptions extends Pick<WaitOptions, 'timeoutMs' | 'language' | 'signal'> {
  /** See `CheckOptions`. */
  apps: readonly string[]
}

/** Concurrent pages of a host. Its images and other files are requested at the same time, four at once. */
const MAX_PAGES_PER_HOST = 4

const CALLER: Caller = { userId: null, publicOnly: false }

export { APP_IDS }

/** Checks the cards of pages without a server, an API key or a database. */
export function openPageChecker(config: Config, site: UnpublishedSite | null = null) {
  const stack = new AsyncDisposableStack()
  const settings = () => config.live
  const network = networkOptions(config, settings)
  const reader = stack.use(openPageReader(config))
  const imageFetcher = stack.use(createImageFetcher(network))
  const fileFetcher = stack.use(createFileFetcher(network))

  const served = (url: URL) =>
    site !== null && url.origin === site.publishedAt ? new URL(site.servedAt + url.href.slice(url.origin.length)) : url
  const published = (href: string) => {
    const url = URL.parse(href)
    return site !== null && url?.origin === site.servedAt ? site.publishedAt + url.href.slice(url.origin.length) : href
  }
  const images: ImageFetcher = withImageCache({
    async fetch(url, signal, caller) {
      const { facts, image } = await imageFetcher.fetch(served(url), signal, caller)
      return { facts: { ...facts, url: url.href }, image }
    },
  })
  const files: FileFetcher = { fetch: (url, options, signal) => fileFetcher.fetch(served(url), options, signal) }

  // The command line has no limits per minute: the limiter counts no keys.
  const deps = { images, files, limiter: memoryRateLimiter(0), secret: new Uint8Array(), ...systemDeps }
  const { checkPage } = createPreviews(config, settings, deps)

  /** As if the page had been at its public address. The values of its tags stay as they are. */
  function atPublicAddress(details: ResultDetails): ResultDetails {
    const { trace, tags } = details
    const hops = trace.hops.map((hop) => ({ ...hop, url: published(hop.url) }))
    const listed = resultTags({ tags })
    if (typeof listed === 'string') return details
    const { plain, rendered } = listed
    const moved = [plain, rendered].map((page) => page && { ...page, baseUrl: published(page.baseUrl) })
    return { ...details, trace: { ...trace, hops }, tags: { plain: moved[0], ...(rendered && { rendered: moved[1] }) } }
  }

  return owning(stack, {
    /** Reads pages without checking them. */
    reader,
    /** Collects pages for a report. Only loaded when it is needed. */
    report: async () =>
      (await import('../http/routes/playground/report.ts')).createReport(images, `${PROJECT_URL}/blob/main/docs`),
    /**
     * Waits for a free place, then reads and checks a page.
     * @throws FetchError; AppError for files that are not pages; the reason of the signal
     */
    async check(url: URL, { apps, ...options }: PageCheckOptions, trace: FetchTrace) {
      const read = await reader.read(served(url), { ...options, perHost: MAX_PAGES_PER_HOST }, trace)
      const page = { ...pageTexts(read, tagsOfPage), url: published(url.href), withDetails: atPublicAddress }
      return await checkPage(CALLER, page, { apps, signal: options.signal, readCache: true })
    },
    /** The URLs of the pages that a sitemap lists. @throws AppError */
    sitemap: (url: URL, signal: AbortSignal) => readSitemap(files, url, signal),
  })
}
