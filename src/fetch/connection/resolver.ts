import { promises as dns, type RecordWithTtl } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

import { MINUTE_MS } from '../../core/duration.ts'
import { formatAddress } from '../../core/net/address.ts'
import { literalAddress } from '../../core/net/egress.ts'
import { FetchError } from '../../core/errors.ts'
import { comparableName, isLoopbackName, LOOPBACK_ADDRESSES, registrableDomain } from '../../core/net/local-name.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { untilAborted } from '../response/abort.ts'
import { areDescriptorsExhausted, noDescriptors } from './descriptors.ts'
import { openHostsFile } from './hosts-file.ts'
import { createSlots } from './slots.ts'

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

/**
 * c-ares ignores the response to an attempt once it has started the next, so slow servers need long attempts. Each
 * attempt lasts twice as long as the one before: two attempts, of 5 s and 10 s, last as long as the longest request.
 */
const DNS_ATTEMPT_MS = 5_000
const DNS_ATTEMPTS = 2

/** After this time a second, parallel query is sent, because a packet may have been lost. */
const SECOND_QUERY_MS = 1_000

/** The maximum number of concurrent lookups. A lookup can continue for up to 15 s after its callers stopped waiting. */
const MAX_LOOKUPS = 2_048

/**
 * The maximum number of concurrent lookups in one domain: a response can have thousands of addresses, which take 18 ms of
 * CPU time to parse.
 */
const MAX_LOOKUPS_OF_DOMAIN = 8

/** The maximum time that a lookup waits for others in its domain: as long as its two attempts take. */
const MAX_WAIT_MS = 3 * DNS_ATTEMPT_MS

/** The maximum number of addresses of a name. Real names have far fewer, and each connection checks all of them. */
const MAX_ADDRESSES = 64

/** How long names in a domain are not looked up after one of them had too many addresses. */
const OVERSIZED = { max: 1_000, ttl: MINUTE_MS }

/**
 * How long to wait for the second address family after the first has arrived. RFC 8305 section 3 suggests 50 ms; this
 * is longer, to check both families where possible. Addresses that arrive later are not dialed.
 */
const SECOND_FAMILY_MS = 300

/** The maximum time to cache DNS records, even if their TTL is longer. */
const MAX_TTL_SECONDS = 60

/**
 * The maximum number of cached names and addresses, such as 10,000 names with four addresses each. An entry takes 64
 * bytes, or 500 for a long name.
 */
const MAX_CACHED = 50_000

/**
 * Resolves with c-ares, which blocks no thread. `getaddrinfo` uses a pool of a few threads, so forty names with an
 * unresponsive DNS server would delay all others. If `servers` is null, the system's servers and hosts file are used.
 */
export function createResolver({ servers }: { servers: readonly string[] | null }): HostResolver & Disposable {
  // Bun merges identical pending queries of one resolver, so the second query needs a second resolver.
  const [first, second] = [newResolver(servers), newResolver(servers)]
  const hostsFile = servers === null ? openHostsFile('/etc/hosts') : async () => []
  const cache = new LRUCache<string, readonly string[]>({
    maxSize: MAX_CACHED,
    sizeCalculation: (addresses) => 1 + addresses.length,
  })
  const pending = new Map<string, Promise<readonly string[]>>()
  const slots = createSlots({ total: MAX_LOOKUPS })
  const oversized = new LRUCache<string, true>(OVERSIZED)

  /** Sends a second query after `SECOND_QUERY_MS`; the first successful response wins. */
  async function queryTwice<T>(send: (resolver: dns.Resolver) => Promise<T>): Promise<T> {
    const response = send(first)
    const isSettled = () => false
    const isSlow = sleep(SECOND_QUERY_MS, true, { ref: false })
    const needsSecond = await Promise.race([response.then(isSettled, isSettled), isSlow])
    return needsSecond ? await Promise.any([response, send(second)]) : await response
  }

  /** Returns no addresses if there are too many. */
  async function query(name: string): Promise<readonly string[]> {
    const results: RecordWithTtl[] = []
    const collect = (records: RecordWithTtl[]) => {
      results.push(...records)
      if (records.length === 0) throw new Error('no such record')
    }
    const families = [
      queryTwice((resolver) => resolver.resolve4(name, { ttl: true })).then(collect),
      queryTwice((resolver) => resolver.resolve6(name, { ttl: true })).then(collect),
    ]
    try {
      await Promise.any(families)
      await Promise.race([Promise.allSettled(families), sleep(SECOND_FAMILY_MS, undefined, { ref: false })])
    } catch (cause) {
      if (areDescriptorsExhausted()) throw noDescriptors(cause)
      throw new FetchError('host_not_found', { cause })
    }
    const ttlSeconds = Math.min(MAX_TTL_SECONDS, ...results.map(({ ttl }) => ttl))
    const addresses = results.length > MAX_ADDRESSES ? [] : results.map(({ address }) => address)
    if (ttlSeconds > 0) cache.set(name, addresses, { ttl: ttlSeconds * 1_000 })
    return addresses
  }

  async function queryInTurn(name: string): Promise<readonly string[]> {
    const domain = registrableDomain(name)
    const limits = [{ key: domain, limit: MAX_LOOKUPS_OF_DOMAIN }]
    const waited = slots.take({ user: null, limits }, AbortSignal.timeout(MAX_WAIT_MS))
    using _slot = await waited.catch((cause) => {
      throw new FetchError('overloaded', { cause, detail: 'too many DNS lookups of a domain' })
    })
    if (oversized.has(domain)) return []
    const addresses = await query(name)
    if (addresses.length === 0) oversized.set(domain, true)
    return addresses
  }

  /** Shares one lookup between concurrent callers. Failures are not cached, so that new names work immediately. */
  function lookUp(name: string): Promise<readonly string[]> {
    const running = pending.get(name)
    if (running !== undefined) return running
    if (pending.size >= MAX_LOOKUPS) throw new FetchError('overloaded', { detail: 'too many DNS lookups' })
    const started = queryInTurn(name).finally(() => pending.delete(name))
    // All callers may have stopped waiting by the time the lookup fails.
    started.catch(() => {})
    pending.set(name, started)
    return started
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
      return { addresses: await untilAborted(lookUp(name), signal), by: 'dns' }
    },
    // Pending queries would keep the process alive until they time out.
    [Symbol.dispose]() {
      first.cancel()
      second.cancel()
    },
  }
}

function newResolver(servers: readonly string[] | null): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: DNS_ATTEMPT_MS, tries: DNS_ATTEMPTS })
  if (servers !== null) resolver.setServers(servers)
  return resolver
}
