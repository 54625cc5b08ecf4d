import { PageScan } from '../core/extract/extract.ts'
import type { CurrentSettings } from '../core/settings/live-settings.ts'
import { siteOf } from '../core/sites/sites.ts'
import { createFetcher, type FetcherDeps } from '../fetch/fetcher.ts'
import { createExtractor } from '../service/lookup/extractor.ts'
import { createOembedLookup } from '../service/lookup/oembed.ts'
import { createReader, type ReaderDeps } from '../service/lookup/reader.ts'
import { networkOptions, type PageConfig } from './page-settings.ts'

export type ReadersOptions = Pick<FetcherDeps, 'slots' | 'ownPorts' | 'servedAt'>

/** Readers that share connections, DNS answers and favicons. Disposing aborts pending requests. */
export function openReaders(
  config: PageConfig,
  settings: CurrentSettings<'allow' | 'sites'>,
  { ownPorts, slots, servedAt }: ReadersOptions,
) {
  const extractor = createExtractor(Date.now)
  const fetcher = createFetcher({
    ...networkOptions(config, settings, ownPorts),
    isDefaultUserAgent: config.userAgent.isDefault,
    slots,
    servedAt,
    startScan: (url) => new PageScan(url, undefined, Date.now(), siteOf(url.hostname, settings().sites).read),
    refreshOf: extractor.refreshOf,
  })
  const oembed = config.oembed ? createOembedLookup({ fetcher, settings }) : null
  return {
    readerWith: (browser: Pick<ReaderDeps, 'renderer' | 'history'>) =>
      createReader({ ...browser, fetcher, extractor, oembed, settings, now: Date.now }),
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
  }
}
