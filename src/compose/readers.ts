import { PageScan } from '../core/extract/extract.ts'
import { siteOf } from '../core/sites/sites.ts'
import { createFetcher, type FetcherDeps } from '../fetch/fetcher.ts'
import { createExtractor } from '../service/lookup/extractor.ts'
import { createOembedLookup } from '../service/lookup/oembed.ts'
import { createReader, type ReaderDeps } from '../service/lookup/reader.ts'
import { networkOptions, type PageSettings } from './page-settings.ts'

export type ReadersOptions = Pick<FetcherDeps, 'slots' | 'ownPorts' | 'beforeParsing'>

/**
 * Readers that share connections, DNS answers and favicons. Disposing them aborts pending requests.
 * @param settings its rules may change while pages are read
 */
export function openReaders(settings: PageSettings, { ownPorts, slots, beforeParsing }: ReadersOptions) {
  const { sites } = settings
  const extractor = createExtractor(Date.now)
  const fetcher = createFetcher({
    ...networkOptions(settings, ownPorts),
    isDefaultUserAgent: settings.userAgent.isDefault,
    slots,
    startScan: (url) => new PageScan(url, undefined, Date.now(), siteOf(url.hostname, sites).read),
    refreshOf: extractor.refreshOf,
    ...(beforeParsing && { beforeParsing }),
  })
  const oembed = settings.oembed ? createOembedLookup({ fetcher, allow: settings.allowPrivateHosts, sites }) : null
  return {
    readerWith: (browser: Pick<ReaderDeps, 'renderer' | 'history'>) =>
      createReader({ ...browser, fetcher, extractor, oembed, sites, now: Date.now }),
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
  }
}
