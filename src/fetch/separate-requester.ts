import type { AllowRule } from '../core/egress.ts'
import type { EgressProxySettings } from '../core/egress-proxy.ts'
import type { SiteRule } from '../core/site-rule.ts'
import { createConnections } from './connections.ts'
import { createConnector } from './connector.ts'
import { createGuard } from './guard.ts'
import { createRequester, type Requester } from './requester.ts'
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
export interface SeparateRequester extends Disposable {
  send: Requester
  /** Aborts when the requester is disposed. */
  closing: AbortSignal
}

/** Opens a requester whose slots and connections are separate from those of pages, so that it never delays the API. */
export function openSeparateRequester(
  { allow, dnsServers, egressProxy, sites, ownPorts }: NetworkOptions,
  { name, total, perHost }: RequesterSettings,
): SeparateRequester {
  const closing = new AbortController()
  const resolver = createResolver({ servers: dnsServers })
  const connections = createConnections()
  return {
    send: createRequester({
      guard: createGuard({ resolver, allow, ownPorts }),
      slots: createSlots({ total }),
      connections,
      connector: createConnector({ egressProxy, sites, resolver }),
      sharesOf: ({ url }) => [{ key: url.host, limit: perHost }],
    }),
    closing: closing.signal,
    [Symbol.dispose]() {
      closing.abort(new Error(`the ${name} is closed`))
      connections[Symbol.dispose]()
      resolver[Symbol.dispose]()
    },
  }
}
