import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'

import { DAY_MS, MINUTE_MS } from '../../core/duration.ts'
import { chainOf, issuerAddressOf } from '../../core/net/certificate-chain.ts'
import { FetchError } from '../../core/errors.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { untilAborted } from '../response/abort.ts'
import { readStart } from '../response/body.ts'
import type { Issuers } from './peer-chain.ts'
import { type ChainSettings, followRedirects, startRedirectChain, type FinalResponse } from './redirects.ts'
import type { RequesterDeps } from './requester.ts'
import { type Caller, keyFor } from '../../core/fetch/ports.ts'

export type IssuersDeps = Pick<ChainSettings, 'send' | 'userAgent' | 'closing'> & Pick<RequesterDeps, 'authorities'>

/**
 * The maximum number of concurrent requests for intermediate certificates. Each certificate is cached and used for many
 * pages.
 */
export const MAX_CERTIFICATE_REQUESTS = 16

/** Certificates have 1 to 3 KB, or up to 20 KB with post-quantum signatures. */
const MAX_CERTIFICATE_BYTES = 65_536

/** Certificate authorities respond within milliseconds. After this time the error of the handshake is returned. */
const MAX_FETCH_MS = 2_000

const MAX_REDIRECTS = 2

/** Public authorities use a few hundred intermediates. */
const CACHED_CERTIFICATES = 200
const CACHED_MS = DAY_MS

/** The time before a failed URL is requested again. */
const FAILED_MS = MINUTE_MS

/**
 * Fetches missing intermediate certificates from the URLs that certificates give for their issuers. `send` must have
 * its own slots, because the request that waits for a certificate already holds a slot.
 */
export function createIssuers({ send, userAgent, authorities, closing }: IssuersDeps): Issuers {
  /** Requests for the same certificate share one fetch, which continues if they stop waiting. */
  const certificates = new LRUCache<string, X509Certificate | 'failed', { address: URL; caller: Caller | null }>({
    max: CACHED_CERTIFICATES,
    ttl: CACHED_MS,
    ignoreFetchAbort: true,
    async fetchMethod(_key, _previous, { context: { address, caller }, options }) {
      const certificate = await fetchCertificate(address, caller)
      if (certificate === null) options.ttl = FAILED_MS
      return certificate ?? 'failed'
    },
  })
  let roots: X509Certificate[] | undefined

  /** @throws FetchError `overloaded`, which does not mean that the URL failed */
  async function fetchCertificate(address: URL, caller: Caller | null): Promise<X509Certificate | null> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(MAX_FETCH_MS)])
    const trace: FetchTrace = { hops: [] }
    const accept = 'application/pkix-cert,*/*;q=0.8'
    const redirectsLeft = MAX_REDIRECTS
    // No rules for sites, because they may add secrets, which must not be sent to a URL from a certificate.
    const sites: readonly [] = []
    const chain = startRedirectChain({ send, signal, caller, trace, userAgent, sites, accept, redirectsLeft })
    try {
      return await followRedirects(chain, address, 'caller', (final) => read(final, signal))
    } catch (error) {
      if (error instanceof FetchError && error.failure === 'overloaded') throw error
      if (signal.aborted && isQueued(trace)) throw new FetchError('overloaded', { cause: error })
      // The error of the handshake is reported instead.
      return null
    }
  }

  return {
    async issuersOf(sent, mayFetch, caller, signal) {
      roots ??= (authorities ?? getCACertificates('default')).map((pem) => new X509Certificate(pem))
      const chain = chainOf(sent, roots, Date.now())
      if (chain !== null) return { authorities: chain.map(String), address: null }
      const last = sent.at(-1)
      const address = mayFetch && last !== undefined ? issuerAddressOf(last) : null
      if (address === null) return null
      const key = keyFor(caller, address.href)
      const intermediate = await untilAborted(certificates.forceFetch(key, { context: { address, caller } }), signal)
      if (intermediate === 'failed') return null
      const completed = chainOf([...sent, intermediate], roots, Date.now())
      return completed && { authorities: completed.map(String), address: address.href }
    },
  }
}

/** @throws Error if the bytes are not a certificate */
async function read({ response, status }: FinalResponse, signal: AbortSignal): Promise<X509Certificate | null> {
  if (status !== 200) return null
  const bytes = await readStart(response, MAX_CERTIFICATE_BYTES + 1, signal)
  // DER as in RFC 5280, or PEM as some authorities send it.
  return bytes.length > MAX_CERTIFICATE_BYTES ? null : new X509Certificate(bytes)
}

/** Whether the last request of a trace was waiting for a slot. */
function isQueued({ hops }: FetchTrace): boolean {
  return hops.at(-1)?.phase?.name === 'queueMs'
}
