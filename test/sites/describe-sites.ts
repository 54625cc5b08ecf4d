import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openReader } from '../../src/compose/page-reader.ts'
import { parseConfig } from '../../src/config.ts'
import { FetchError } from '../../src/core/errors.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import type { ReadResult } from '../../src/service/lookup/reader.ts'
import { budgetOf, GENEROUS_MS } from '../fetch/budget.ts'
import type { SiteCase } from './site-case.ts'
import { openSites, type Sites } from './sites.ts'

export interface DescribeSitesOptions {
  /** Variables of the service's own reader, such as the path of a Chromium. It does not trust the sites' certificate. */
  composed?: Record<string, string>
  timeoutMs?: number
}

/** Tests the response for each case, its requests, and the source of its values. */
export function describeSites(title: string, cases: readonly SiteCase[], options: DescribeSitesOptions = {}): void {
  const { composed, timeoutMs = GENEROUS_MS } = options
  describe(title, () => {
    const stack = new AsyncDisposableStack()
    let doubles: SiteCase['doubles'] = {}
    let sites: Sites
    let read: (url: string, trace: FetchTrace) => Promise<ReadResult>
    beforeAll(async () => {
      const hosts = new Set(cases.flatMap((one) => Object.keys(one.doubles)))
      sites = stack.use(await openSites([...hosts], (request, url) => doubles[url.hostname]?.(request, url) ?? null))
      read = async (url, trace) => (await sites.read(url, { timeoutMs, trace })).result
      if (composed === undefined) return
      const parsed = parseConfig({ ...sites.env, ...composed })
      if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
      const reader = stack.use(openReader(parsed.config))
      read = async (url, trace) => {
        using budget = budgetOf(timeoutMs)
        return await reader.read(new URL(url), budget, trace)
      }
    })
    afterAll(() => stack.disposeAsync())

    test.each(cases.map((one) => [`${one.site}: ${one.name}`, one] as const))('%s', async (_, one) => {
      const { expected } = one
      doubles = one.doubles
      sites.requests.length = 0
      const trace: FetchTrace = { hops: [] }
      const reading = read(one.url, trace)
      if ('blockedBy' in expected) {
        const error: unknown = await reading.catch((thrown) => thrown)
        if (!(error instanceof FetchError)) throw new Error(`answered: ${JSON.stringify(await reading)}`)
        expect([error.reason, trace.interstitial]).toEqual(['blocked by the site', expected.blockedBy])
        return
      }
      const { result, sources } = await reading
      expect(result).toMatchObject(expected.metadata)
      for (const field of expected.lacks ?? []) expect(result).not.toHaveProperty(field)
      if (expected.provenance) expect(sources).toMatchObject(expected.provenance)
      if (expected.requested) expect(sites.requests.map((path) => `https://${path}`)).toEqual([...expected.requested])
    })
  })
}
