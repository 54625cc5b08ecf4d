import { LRUCache } from 'lru-cache'

import { MINUTE_MS } from '../../core/duration.ts'
import { formatAddress } from '../../core/net/address.ts'
import { literalAddress } from '../../core/net/egress.ts'
import { FetchError } from '../../core/errors.ts'
import { comparableName, isLoopbackName, LOOPBACK_ADDRESSES, registrableDomain } from '../../core/net/local-name.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { untilAborted } from '../response/abort.ts'
import { areDescriptorsExhausted, noDescriptors } from './descriptors.ts'
import { DnsQueries } from './dns-queries.ts'
import { openHostsFile } from './hosts-file.ts'

/** The unchecked addresses of a host, and how they were resolved. */
export interface Resolution {
  addresses: readonly string[]
  by: NonNullable<Hop['resolvedBy']>
}

export interface HostResolver {
  /**
   * The IPv4 and IPv6 addresses of a URL's host; none if there are more than `MAX_ADDRESSES`.
   * @throws FetchError `host_not_found`, or `overloaded` when too many names are being looked up; the signal's reason
   */
  resolve(host: string, signal: AbortSignal): Promise<Resolution>
}

/** The maximum number of concurrent lookups, each of which has one or two sockets. */
const MAX_LOOKUPS = 2_048

/** The maximum number of addresses of a name. Real names have far fewer, and each connection checks all of them. */
const MAX_ADDRESSES = 64

/**
 * How long names in a domain are not looked up after one of them had too many addresses. A response can have thousands,
 * which take 18 ms of CPU time to parse.
 */
const OVERSIZED = { max: 1_000, ttl: MINUTE_MS }

/** The maximum time to cache DNS records, even if their TTL is longer. */
const MAX_TTL_SECONDS = 60

/**
 * The maximum number of cached names and addresses, such as 10,000 names with four addresses each. An entry takes 64
 * bytes, or 500 for a long name.
 */
const MAX_CACHED = 50_000

/** A running lookup, shared by concurrent callers. */
interface Lookup {
  domain: string
  addresses: Promise<readonly string[]>
  callers: number
  stop(): void
}

/**
 * Resolves with c-ares, which blocks no thread. `getaddrinfo` uses a pool of a few threads, so forty names with an
 * unresponsive DNS server would delay all others. If `servers` is null, the system's servers and hosts file are used.
 */
export function createResolver({ servers }: { servers: readonly string[] | null }): HostResolver & Disposable {
  const hostsFile = servers === null ? openHostsFile('/etc/hosts') : async () => []
  const cache = new LRUCache<string, readonly string[]>({
    maxSize: MAX_CACHED,
    sizeCalculation: (addresses) => 1 + addresses.length,
  })
  const lookups = new Map<string, Lookup>()
  const oversized = new LRUCache<string, true>(OVERSIZED)

  function startLookup(name: string, domain: string): Lookup {
    const queries = new DnsQueries(servers)
    const stop = () => {
      if (lookups.get(name) === lookup) lookups.delete(name)
      queries.cancel()
    }
    const addresses = addressesOf(name, domain, queries).finally(stop)
    // All callers may have stopped waiting by the time the lookup fails.
    addresses.catch(() => {})
    const lookup = { domain, addresses, callers: 0, stop }
    return lookup
  }

  /** Returns no addresses if there are too many. */
  async function addressesOf(name: string, domain: string, queries: DnsQueries): Promise<readonly string[]> {
    const records = await queries.records(name).catch((cause) => {
      // Canceled by another lookup.
      if (oversized.has(domain)) return null
      throw areDescriptorsExhausted() ? noDescriptors(cause) : new FetchError('host_not_found', { cause })
    })
    if (records === null) return []
    const isOversized = records.length > MAX_ADDRESSES
    if (isOversized) refuse(domain)
    const addresses = isOversized ? [] : records.map(({ address }) => address)
    const ttlSeconds = Math.min(MAX_TTL_SECONDS, ...records.map(({ ttl }) => ttl))
    if (ttlSeconds > 0) cache.set(name, addresses, { ttl: ttlSeconds * 1_000 })
    return addresses
  }

  /** Stops all lookups in a domain, before their responses have to be parsed. */
  function refuse(domain: string): void {
    oversized.set(domain, true)
    for (const lookup of lookups.values()) if (lookup.domain === domain) lookup.stop()
  }

  /** Failures are not cached, so that new names work immediately. A lookup ends when nobody waits for it. */
  async function lookUp(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const domain = registrableDomain(name)
    if (oversized.has(domain)) return []
    if (!lookups.has(name) && lookups.size >= MAX_LOOKUPS) {
      throw new FetchError('overloaded', { detail: 'too many DNS lookups' })
    }
    const lookup = lookups.getOrInsertComputed(name, () => startLookup(name, domain))
    lookup.callers++
    try {
      return await untilAborted(lookup.addresses, signal)
    } finally {
      if (--lookup.callers === 0) lookup.stop()
    }
  }

  return {
    async resolve(host, signal) {
      const literal = literalAddress(host)
      if (literal !== null) return { addresses: [formatAddress(literal)], by: 'literal' }
      if (isLoopbackName(host)) return { addresses: LOOPBACK_ADDRESSES, by: 'loopback name' }
      const name = comparableName(host)
      const cached = cache.get(name)
      if (cached !== undefined) return { addresses: cached, by: 'cache' }
      const listed = await untilAborted(hostsFile(name), signal)
      if (listed.length > 0) return { addresses: listed, by: 'hosts file' }
      return { addresses: await lookUp(name, signal), by: 'dns' }
    },
    // Pending queries would keep the process alive until they time out.
    [Symbol.dispose]() {
      for (const lookup of lookups.values()) lookup.stop()
    },
  }
}
