import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openReader, type OpenReader } from '../../src/compose/reader.ts'
import { parseConfig } from '../../src/config.ts'
import { FetchError } from '../../src/core/errors.ts'
import type { FetchTrace } from '../../src/core/trace.ts'
import { budgetOf, GENEROUS_MS } from '../fetch/budget.ts'
import { openDoubledSites, type DoubledSites } from './doubles.ts'
import type { SiteCase } from './site-case.ts'

/** Further variables, such as the path of a Chromium. */
export interface DescribeSitesOptions {
  env?: Record<string, string>
  timeoutMs?: number
}

/** Tests the response for each case, its requests, and the source of its values. */
export function describeSites(title: string, cases: readonly SiteCase[], options: DescribeSitesOptions = {}): void {
  const { env = {}, timeoutMs = GENEROUS_MS } = options
  describe(title, () => {
    let sites: DoubledSites
    let reader: OpenReader
    beforeAll(async () => {
      sites = await openDoubledSites()
      const parsed = parseConfig({
        URLMETA_CHROMIUM: 'off',
        URLMETA_DNS_SERVERS: sites.dnsServer,
        URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${sites.port}`,
        ...env,
      })
      if ('faults' in parsed) throw new Error(parsed.faults.join('\n'))
      reader = openReader(parsed.config, () => [])
    })
    afterAll(async () => {
      await reader[Symbol.asyncDispose]()
      await sites[Symbol.asyncDispose]()
    })

    test.each(cases.map((one) => [`${one.site}: ${one.name}`, one] as const))(
      '%s',
      async (_, { url, doubles, expected }) => {
        sites.use(doubles)
        sites.requests.length = 0
        using budget = budgetOf(timeoutMs)
        const trace: FetchTrace = { hops: [] }
        const reading = reader.read(new URL(sites.toLocal(url)), budget, trace)
        if ('blockedBy' in expected) {
          const error: unknown = await reading.catch((thrown) => thrown)
          if (!(error instanceof FetchError)) throw new Error(`answered: ${JSON.stringify(await reading)}`)
          expect([error.reason, trace.interstitial]).toEqual(['blocked by the site', expected.blockedBy])
          return
        }
        const { result, sources } = await reading
        expect(JSON.parse(sites.toPublic(JSON.stringify(result)))).toMatchObject(expected.metadata)
        for (const field of expected.lacks ?? []) expect(result).not.toHaveProperty(field)
        if (expected.provenance) expect(sources).toMatchObject(expected.provenance)
        if (expected.requested)
          expect(sites.requests.map((request) => request.url.href)).toEqual([...expected.requested])
      },
    )
  })
}
