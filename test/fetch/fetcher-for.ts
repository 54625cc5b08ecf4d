import { parseAllowRule } from '../../src/core/egress.ts'
import { createFetcher, type FetcherDeps } from '../../src/fetch/fetcher.ts'

/** A fetcher that may reach what `allow` names; everything else as in the service. */
export function fetcherFor(allow: readonly string[], parts: Partial<FetcherDeps> = {}) {
  return createFetcher({
    allow: allow.map((text) => parseAllowRule(text) ?? expected(text)),
    dnsServers: null,
    userAgent: 'urlmeta-test',
    concurrency: 64,
    isHeadComplete: () => true,
    ...parts,
  })
}

function expected(text: string): never {
  throw new Error(`not an allow rule: ${text}`)
}
