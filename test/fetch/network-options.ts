import { parseAllowRule } from '../../src/core/net/egress.ts'
import type { NetworkOptions } from '../../src/fetch/connection/network.ts'

/** Network options that may reach these private destinations. */
export const networkOptionsFor = (allowed: readonly string[]): NetworkOptions => ({
  allow: allowed.map((text) => parseAllowRule(text) ?? expected(text)),
  dnsServers: null,
  egressProxy: null,
  sites: [],
  userAgent: 'urlmeta-test',
  ownPorts: () => [],
})

function expected(text: string): never {
  throw new Error(`not an allow rule: ${text}`)
}
