import { parseAllowRule } from '../../src/core/net/egress.ts'
import { PageScan } from '../../src/core/extract/extract.ts'
import { createFetcher, createFetchSlots, type FetcherDeps } from '../../src/fetch/fetcher.ts'

/** A scan that ends with the head. */
class HeadScan extends PageScan {
  override get isDone(): boolean {
    return this.hasHeadEnded
  }
}

/** A fetcher that may reach the destinations in `allow`; otherwise as in the service. */
export function fetcherFor(
  allow: readonly string[],
  { concurrency = 64, ...parts }: Partial<FetcherDeps> & { concurrency?: number } = {},
) {
  return createFetcher({
    allow: allow.map((text) => parseAllowRule(text) ?? expected(text)),
    dnsServers: null,
    userAgent: 'urlmeta-test',
    slots: createFetchSlots(concurrency),
    startScan: (url) => new HeadScan(url),
    ...parts,
  })
}

function expected(text: string): never {
  throw new Error(`not an allow rule: ${text}`)
}
