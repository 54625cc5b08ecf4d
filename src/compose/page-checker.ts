import type { Config } from '../config.ts'
import { COMMAND_LINE, type ImageFetcher } from '../core/fetch/ports.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { createFileFetcher } from '../fetch/files.ts'
import { createImageFetcher, withImageCache } from '../fetch/images.ts'
import { tagsOfPage } from '../previews/tags/list-page-tags.ts'
import { type ListTags, pageTexts } from '../service/lookup/page-texts.ts'
import type { WaitOptions } from '../service/lookup/single-flight.ts'
import { readSitemap } from '../service/lookup/sitemap.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { parseUrl } from '../core/web-url.ts'
import { PROJECT_URL } from '../version.ts'
import { openPageReader } from './page-reader.ts'
import { networkOptions } from './page-settings.ts'
import { createPreviews } from './previews.ts'
import { owning } from './owning.ts'
import { systemDeps } from './system-deps.ts'

/** A site that is served from another origin until it is published. Both are origins: `https://example.com`. */
interface UnpublishedSite {
  servedAt: string
  publishedAt: string
}

interface PageCheckOptions extends Pick<WaitOptions, 'timeoutMs' | 'language' | 'signal'> {
  /** See `CheckOptions`. */
  apps: readonly string[]
}

/** Concurrent pages of a host. Its images and other files are requested at the same time, four at once. */
const MAX_PAGES_PER_HOST = 4

/** For commands, which only import from here. */
export { APP_IDS } from '../previews/service/page-check.ts'

/**
 * Checks the cards of pages without a server, an API key or a database.
 * @param isOneRun whether images and robots.txt are requested once. Otherwise each check requests them.
 */
export function openPageChecker(config: Config, isOneRun: boolean, site: UnpublishedSite | null = null) {
  const stack = new AsyncDisposableStack()
  const settings = () => config.live
  const { servedAt, publishedAt } = site ?? { servedAt: '', publishedAt: '' }
  const served = (href: string) => withOrigin(href, publishedAt, servedAt)
  const published = (href: string) => withOrigin(href, servedAt, publishedAt)
  const network = { ...networkOptions(config, settings), servedAt: (url: URL) => new URL(served(url.href)) }
  const reader = stack.use(openPageReader(config, network.servedAt))
  const imageFetcher = stack.use(createImageFetcher(network))
  const files = stack.use(createFileFetcher(network))

  // After publication, nobody reaches an image that the page has on the preview server.
  const isOnlyServed = ({ origin }: URL) => origin === servedAt && origin !== publishedAt
  const uncached: ImageFetcher = {
    fetch: (url, signal, caller) => imageFetcher.fetch(url, signal, { ...caller, publicOnly: isOnlyServed(url) }),
  }
  const images = isOneRun ? withImageCache(uncached) : uncached

  // The command line has no limits per minute: the limiter counts no keys.
  const deps = { images, files, limiter: memoryRateLimiter(0), secret: new Uint8Array(), ...systemDeps }
  const { checkPage } = createPreviews(config, settings, deps)

  const publishedTags: ListTags = (content) => {
    const tags = tagsOfPage(content)
    return tags && { ...tags, baseUrl: published(tags.baseUrl) }
  }

  return owning(stack, {
    /** Where a URL is requested. */
    served,
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
      const read = await reader.read(new URL(served(url.href)), { ...options, perHost: MAX_PAGES_PER_HOST }, trace)
      // As if the page had been at its public address. The values of its tags stay as they are.
      for (const hop of read.page.trace.hops) hop.url = published(hop.url)
      if (read.result.favicon) read.result.favicon = published(read.result.favicon)
      const page = { ...pageTexts(read, publishedTags), url: published(url.href) }
      return await checkPage(COMMAND_LINE, page, { apps, signal: options.signal, readCache: isOneRun })
    },
    /** The URLs of the pages that a sitemap lists. @throws AppError */
    sitemap: (url: URL, signal: AbortSignal) => readSitemap(files, url, signal),
  })
}

/** Replaces the origin `from`. Other URLs stay as they are. */
function withOrigin(href: string, from: string, to: string): string {
  const url = parseUrl(href)
  return url?.origin === from ? to + url.pathname + url.search + url.hash : href
}
