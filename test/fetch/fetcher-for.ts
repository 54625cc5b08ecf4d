import { PageScan } from '../../src/core/extract/extract.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import { createFetcher, createFetchSlots, type FetcherDeps } from '../../src/fetch/fetcher.ts'
import { networkOptionsFor } from './network-options.ts'

/** A scan that ends with the head. */
class HeadScan extends PageScan {
  override read(bytes: Uint8Array, isWhole?: boolean): void {
    super.read(bytes, isWhole)
    this.isDone = this.hasHeadEnded
  }
}

interface FetcherOptions extends Partial<FetcherDeps> {
  concurrency?: number
  sites?: readonly SiteRule[]
}

/** A fetcher that may reach the destinations in `allow`; otherwise as in the service. */
export function fetcherFor(allow: readonly string[], { concurrency = 64, sites = [], ...parts }: FetcherOptions = {}) {
  return createFetcher({
    ...networkOptionsFor(allow, sites),
    slots: createFetchSlots(concurrency),
    startScan: (url) => new HeadScan(url),
    ...parts,
  })
}
