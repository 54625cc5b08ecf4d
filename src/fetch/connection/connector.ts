import { request } from 'node:http'
import type { Socket } from 'node:net'
import { SocksClient } from 'socks'

import { bypassesProxy, type EgressProxy, type EgressProxySettings } from '../../core/net/egress-proxy.ts'
import type { EgressTarget } from '../../core/net/egress.ts'
import { FetchError } from '../../core/errors.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { siteOf } from '../../core/sites/sites.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import { untilAborted } from '../response/abort.ts'
import { dial, DIRECT, startTls, type Connector, type Destination, type TlsOptions } from './dial.ts'
import { errorCode } from '../response/failure.ts'
import type { HostResolver } from './resolver.ts'

/** The timeout of one attempt: connecting to the proxy, its TLS handshake, and its connection to the destination. */
const PROXIED_ATTEMPT_MS = 2_000

/** The maximum size of the head of the proxy's response. Proxies send a few lines. */
const MAX_PROXY_HEAD_BYTES = 8_192

export interface ConnectorDeps extends Pick<TlsOptions, 'authorities'> {
  /** Null connects directly. */
  egressProxy: EgressProxySettings | null
  /** Rules for sites can set a proxy for some hosts. */
  settings: CurrentSettings<'sites'>
  /** Resolves the proxy's name. */
  resolver: HostResolver
  /** Opens connections to the proxy itself, and to destinations that bypass it. */
  direct?: Connector
}

/** Connects directly or through the operator's proxy. The proxy gets the address that the guard checked, never a name. */
export function createConnector(deps: ConnectorDeps): Connector {
  const { egressProxy, settings, resolver, authorities, direct = DIRECT } = deps

  /** The proxy for a destination, or null for none. A site's own proxy has no exceptions. */
  function proxyFor({ target, address }: Destination): EgressProxy | null {
    const own = siteOf(target.host, settings().sites).egressProxy
    if (own !== undefined) return own === 'direct' ? null : own
    if (egressProxy === null || bypassesProxy(egressProxy.exceptions, target, address)) return null
    return egressProxy.proxy
  }

  async function connectToProxy(proxy: EgressProxy, signal: AbortSignal): Promise<Socket> {
    const { addresses } = await resolver.resolve(proxy.host, signal)
    // Not traced: the trace only has the attempts and timing of the site.
    const tcp = await dial({ pinned: addresses, target: proxy }, direct, signal)
    if (!PROTOCOLS[proxy.protocol].isEncrypted) return tcp
    try {
      return await startTls(tcp, { host: proxy.host, authorities }, signal)
    } catch (error) {
      tcp.destroy()
      throw error
    }
  }

  return {
    attemptMs: (destination) => (proxyFor(destination) === null ? direct.attemptMs(destination) : PROXIED_ATTEMPT_MS),
    async open(destination, signal) {
      const proxy = proxyFor(destination)
      if (proxy === null) return direct.open(destination, signal)
      let socket: Socket | undefined
      try {
        socket = await connectToProxy(proxy, signal)
        const { open } = PROTOCOLS[proxy.protocol]
        await untilAborted(open(socket, destination, proxy), signal)
        return socket
      } catch (error) {
        socket?.destroy()
        signal.throwIfAborted()
        // No cause: the error of the SOCKS library contains the password.
        if (error instanceof FetchError && error.failure === 'overloaded') throw error
        throw new FetchError('egress_proxy', { detail: `egress proxy: ${detailOf(error)}` })
      }
    },
  }
}

const PROTOCOLS: Record<EgressProxy['protocol'], { isEncrypted: boolean; open: typeof openByConnect }> = {
  http: { isEncrypted: false, open: openByConnect },
  https: { isEncrypted: true, open: openByConnect },
  socks5: { isEncrypted: false, open: openBySocks },
}

/** The description of a failure for the log, without credentials. */
function detailOf(error: unknown): string {
  if (error instanceof FetchError) return errorCode(error.cause) || error.reason
  return errorCode(error) || (error instanceof Error ? error.message : 'failed')
}

/** Requests a tunnel from an HTTP proxy (RFC 9110 section 9.3.6). */
async function openByConnect(socket: Socket, { target, address }: Destination, { credentials }: EgressProxy) {
  const authority = authorityOf(address, target)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const connectRequest = request({
    method: 'CONNECT',
    path: authority,
    createConnection: () => socket,
    headers: {
      Host: authority,
      Connection: 'keep-alive',
      ...(credentials && { 'Proxy-Authorization': basicAuthorization(credentials) }),
    },
    maxHeaderSize: MAX_PROXY_HEAD_BYTES,
  })
  const end = (status = 0, hasData = false) => {
    if (status < 200 || status > 299) reject(new Error(String(status)))
    // Nothing was sent to the site yet, so it cannot have responded.
    else if (hasData) reject(new Error('unexpected data'))
    else resolve()
  }
  connectRequest.on('connect', ({ statusCode }, _socket, head) => end(statusCode, head.length > 0))
  connectRequest.on('response', ({ statusCode }) => end(statusCode))
  connectRequest.on('error', reject)
  connectRequest.end()
  await promise
}

/** https://www.rfc-editor.org/rfc/rfc7617 */
export function basicAuthorization({ user, password }: NonNullable<EgressProxy['credentials']>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function authorityOf(address: string, { port }: EgressTarget): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** Requests a connection from a SOCKS5 proxy (RFC 1928, with RFC 1929 for credentials). */
async function openBySocks(socket: Socket, { target, address }: Destination, { host, port, credentials }: EgressProxy) {
  await SocksClient.createConnection({
    command: 'connect',
    proxy: { host, port, type: 5, ...(credentials && { userId: credentials.user, password: credentials.password }) },
    destination: { host: address, port: target.port },
    existing_socket: socket,
    // Required by the library; the request's own deadline comes first.
    timeout: FETCH_TIMEOUT_MS.maximum,
  })
}
