import { promises as dns, type RecordWithTtl } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * c-ares ignores the response to an attempt once it has started the next, so slow servers need long attempts. Each
 * attempt lasts twice as long as the one before: two attempts, of 5 s and 10 s, last as long as the longest request.
 */
const ATTEMPT_MS = 5_000
const ATTEMPTS = 2

/** After this time a second, parallel query is sent, because a packet may have been lost. */
const SECOND_QUERY_MS = 1_000

/**
 * How long to wait for the second address family after the first has arrived. RFC 8305 section 3 suggests 50 ms; this
 * is longer, to check both families where possible. Addresses that arrive later are not dialed.
 */
const SECOND_FAMILY_MS = 300

/**
 * The queries for one name. They have resolvers of their own, because c-ares can only cancel all queries of a resolver:
 * responses that nobody waits for are not parsed.
 */
export class DnsQueries {
  readonly #resolvers: dns.Resolver[] = []
  #isCanceled = false

  /** @param servers null for the servers of the system */
  constructor(private readonly servers: readonly string[] | null) {}

  /** The records of both address families. @throws AggregateError if neither has any, or the queries were canceled */
  async records(name: string): Promise<readonly RecordWithTtl[]> {
    const results: RecordWithTtl[] = []
    const collect = (records: RecordWithTtl[]) => {
      results.push(...records)
      if (records.length === 0) throw new Error('no such record')
    }
    const families = [
      this.#queryTwice((resolver) => resolver.resolve4(name, { ttl: true })).then(collect),
      this.#queryTwice((resolver) => resolver.resolve6(name, { ttl: true })).then(collect),
    ]
    await Promise.any(families)
    await Promise.race([Promise.allSettled(families), sleep(SECOND_FAMILY_MS, undefined, { ref: false })])
    return results
  }

  cancel(): void {
    this.#isCanceled = true
    for (const resolver of this.#resolvers) resolver.cancel()
  }

  /** Sends a second query after `SECOND_QUERY_MS`; the first successful response wins. */
  async #queryTwice<T>(send: (resolver: dns.Resolver) => Promise<T>): Promise<T> {
    const response = send(this.#resolver(0))
    const isSettled = () => false
    const isSlow = sleep(SECOND_QUERY_MS, true, { ref: false })
    const needsSecond = await Promise.race([response.then(isSettled, isSettled), isSlow])
    // Bun merges identical pending queries of one resolver, so the second query needs a second resolver.
    return needsSecond && !this.#isCanceled ? await Promise.any([response, send(this.#resolver(1))]) : await response
  }

  #resolver(index: 0 | 1): dns.Resolver {
    const known = this.#resolvers[index]
    if (known !== undefined) return known
    const resolver = new dns.Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS })
    if (this.servers !== null) resolver.setServers(this.servers)
    return (this.#resolvers[index] = resolver)
  }
}
