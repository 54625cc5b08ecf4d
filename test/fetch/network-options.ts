import { parseAllowRule } from '../../src/core/net/egress.ts'
import type { NetworkOptions } from '../../src/fetch/connection/network.ts'

/** Options of the fetchers of the dashboard, which may reach these private destinations. */
export const networkOptionsFor = (allowed: readonly string[]): NetworkOptions => ({
  allow: allowed.map((text) => parseAllowRule(text)!),
  dnsServers: null,
  egressProxy: null,
  sites: [],
  userAgent: 'urlmeta-test',
  ownPorts: () => [],
})
