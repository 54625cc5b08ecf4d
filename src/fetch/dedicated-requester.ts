import type { AllowRule } from '../core/egress.ts'
import type { EgressProxySettings } from '../core/egress-proxy.ts'
import { FetchError } from '../core/errors.ts'
import type { SiteRule } from '../core/sites/site-rule.ts'
import { createConnections } from './connections.ts'
import { createConnector } from './connector.ts'
import { createGuard } from './guard.ts'
import { createIssuers, MAX_CERTIFICATE_REQUESTS } from './issuers.ts'
import type { Issuers } from './peer-chain.ts'
import { type FinalResponse, followRedirects, startRedirectChain } from './redirects.ts'
import { createRequester, type Requester, type RequesterDeps } from './requester.ts'
import { createResolver } from './resolver.ts'
import { createSlots } from './slots.ts'

export interface NetworkOptions {
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
  dnsServers: readonly string[] | null
  /** The proxy that connections go through, or none. */
  egressProxy: EgressProxySettings | null
  /** The operator's rules for sites. */
  sites: readonly SiteRule[]
  userAgent: string
  /** The ports this process listens on. */
  ownPorts: () => readonly number[]
  /** Certificate authorities in PEM instead of the built-in ones. */
  authorities?: readonly string[]
}

export interface GetOptions {
  /** The maximum duration in milliseconds. */
  deadlineMs: number
  maxRedirects: number
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal
  /** The Accept header; that of a browser by default. */
  accept?: string
  /** Whether encrypted requests may have led to this one. */
  isAfterHttps?: boolean
}

export interface RequesterSettings {
  /** Part of the error of requests that are aborted by disposing it: `the webhook sender is closed`. */
  name: string
  /** The maximum number of concurrent requests. */
  total: number
  /** The maximum number of concurrent requests to one host. */
  perHost: number
}

/** A requester behind the guard. Disposing it aborts pending requests. */
export interface DedicatedRequester extends Disposable {
  send: Requester
  /**
   * GETs `url`, follows its redirects and reads the last response with `read`. Never rejects: `problem` is the reason of a
   * failure for users.
   */
  get<T extends object>(
    url: URL,
    options: GetOptions,
    read: (final: FinalResponse, signal: AbortSignal) => Promise<T>,
  ): Promise<T | { problem: string }>
  /** Aborts when the requester is disposed. */
  closing: AbortSignal
}

/** Opens a requester whose slots and connections are separate from those of pages, so that it never delays the API. */
export function openDedicatedRequester(
  { allow, dnsServers, egressProxy, sites, userAgent, ownPorts, authorities }: NetworkOptions,
  { name, total, perHost }: RequesterSettings,
): DedicatedRequester {
  const closing = new AbortController()
  const resolver = createResolver({ servers: dnsServers })
  const connections = createConnections()
  const guard = createGuard({ resolver, allow, ownPorts })
  const connector = createConnector({ egressProxy, sites, resolver, authorities })
  const limitsOf: RequesterDeps['limitsOf'] = ({ url }) => [{ key: url.host, limit: perHost }]
  const requesterWith = (slots: number, issuers: Issuers | null) =>
    createRequester({
      guard,
      slots: createSlots({ total: slots }),
      connections,
      connector,
      limitsOf,
      authorities,
      issuers,
    })
  const issuers = createIssuers({
    send: requesterWith(MAX_CERTIFICATE_REQUESTS, null),
    userAgent,
    authorities,
    closing: closing.signal,
  })
  const send = requesterWith(total, issuers)

  return {
    send,
    async get(url, { deadlineMs, maxRedirects, signal: requestSignal, accept, isAfterHttps = false }, read) {
      const signal = AbortSignal.any([requestSignal, closing.signal, AbortSignal.timeout(deadlineMs)])
      const chain = startRedirectChain({
        send,
        signal,
        caller: null,
        trace: { hops: [] },
        userAgent,
        sites,
        isAfterHttps,
        redirectsLeft: maxRedirects,
        ...(accept !== undefined && { accept }),
      })
      try {
        return await followRedirects(chain, url, 'caller', (final) => read(final, signal))
      } catch (error) {
        if (signal.aborted) return { problem: 'timed out' }
        return { problem: error instanceof FetchError ? error.reason : 'could not be fetched' }
      }
    },
    closing: closing.signal,
    [Symbol.dispose]() {
      closing.abort(new Error(`the ${name} is closed`))
      connections[Symbol.dispose]()
      resolver[Symbol.dispose]()
    },
  }
}
