import { parseAllowRule } from '../../src/core/net/egress.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import type { NetworkOptions } from '../../src/fetch/connection/network.ts'
import { settingsOf } from '../settings.ts'

/** Network options that may reach these private destinations, with these rules for sites. */
export const networkOptionsFor = (allowed: readonly string[], sites: readonly SiteRule[] = []): NetworkOptions => ({
  settings: settingsOf({ allow: allowed.map((text) => parseAllowRule(text) ?? expected(text)), sites }),
  dnsServers: null,
  egressProxy: null,
  userAgent: 'urlmeta-test',
  ownPorts: () => [],
})

function expected(text: string): never {
  throw new Error(`not an allow rule: ${text}`)
}
