import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { createConnections } from './connections.ts'
import { type ConnectorDeps, createConnector } from './connector.ts'
import { createGuard, type GuardDeps } from './guard.ts'
import { createIssuers, MAX_CERTIFICATE_REQUESTS } from './issuers.ts'
import type { Issuers } from './peer-chain.ts'
import { createRequester, type Requester, type RequesterDeps } from './requester.ts'
import { createResolver } from './resolver.ts'
import { createSlots, type Slots } from './slots.ts'

export interface NetworkOptions
  extends Pick<GuardDeps, 'ownPorts'>, Pick<ConnectorDeps, 'egressProxy' | 'authorities'> {
  settings: CurrentSettings<'allow' | 'sites'>
  /** `ip`, `ip:port` or `[ipv6]:port`; null uses the system's servers. */
  dnsServers: readonly string[] | null
  userAgent: string
  /**
   * The Accept-Language header, unless the caller or a rule for the site sets it. Default: `DEFAULT_ACCEPT_LANGUAGE`.
   */
  acceptLanguage?: string | undefined
  /** Where a URL is requested, such as on a preview server; by default where it leads. */
  servedAt?: ((url: URL) => URL) | undefined
}

/** Removes the rules for sites, whose headers and cookies are meant for requests for pages only. */
export const withoutSites = (options: NetworkOptions): NetworkOptions => ({
  ...options,
  settings: () => ({ ...options.settings(), sites: [] }),
})

/** The guard, DNS, connections and certificates that requesters share. Disposing it aborts requests with `closedError`. */
export function openNetwork(
  { settings, dnsServers, egressProxy, userAgent, ownPorts, authorities, servedAt }: NetworkOptions,
  { limitsOf, closedError }: Pick<RequesterDeps, 'limitsOf'> & { closedError: string },
) {
  const closing = new AbortController()
  const resolver = createResolver({ servers: dnsServers })
  const connections = createConnections()
  const guard = createGuard({ resolver, settings, ownPorts })
  const connector = createConnector({ egressProxy, settings, resolver, authorities })
  function requesterWith(slots: Slots, issuers: Issuers | null): Requester {
    const send = createRequester({ guard, slots, connections, connector, limitsOf, authorities, issuers })
    return servedAt ? (request, read) => send({ ...request, url: servedAt(request.url) }, read) : send
  }
  // Certificates are only fetched from servers with complete chains, so that fetching one never needs another.
  const issuers = createIssuers({
    send: requesterWith(createSlots({ total: MAX_CERTIFICATE_REQUESTS }), null),
    userAgent,
    authorities,
    closing: closing.signal,
  })

  return {
    requester: (slots: Slots) => requesterWith(slots, issuers),
    /** Aborts when the network is disposed. */
    closing: closing.signal,
    [Symbol.dispose]() {
      closing.abort(new Error(closedError))
      connections[Symbol.dispose]()
      resolver[Symbol.dispose]()
    },
  }
}
