import type { RemoteChromium } from '../../core/net/remote-chromium.ts'
import { createConnector } from '../connection/connector.ts'
import { createGuard } from '../connection/guard.ts'
import type { NetworkOptions } from '../connection/network.ts'
import { createResolver } from '../connection/resolver.ts'
import { createBrowserSupervisor } from './browser-supervisor.ts'
import { openBrowser, type OpenBrowser } from './open-browser.ts'
import { openProxy } from './proxy.ts'
import { openRemoteBrowser } from './remote-browser.ts'

/** The path of a Chromium to start, or a Chromium on another machine. */
export type ChromiumSource = { executable: string } | RemoteChromium

export interface EngineDeps extends Omit<NetworkOptions, 'userAgent' | 'acceptLanguage' | 'authorities'> {
  chromium: ChromiumSource
  onStart?: (opened: OpenBrowser) => void
  /**
   * A browser that does not respond for this long is replaced. Tests use a longer time, because their machine may be
   * busy.
   */
  responseMs?: number | undefined
  /** Called when Chromium does not start or respond, stops unexpectedly, or sends an invalid message. */
  onError?: (error: unknown) => void
}

/** The proxy, and the browser that uses it. */
export type Engine = Awaited<ReturnType<typeof startEngine>>

/** A browser pool counts a connection as a browser in use, and may close idle connections. */
const REMOTE_IDLE_MS = 10_000

/** @throws Error when the proxy cannot listen */
export async function startEngine(
  { chromium, settings, dnsServers, egressProxy, ownPorts, onStart, onError, responseMs }: EngineDeps,
  onEnd: (opened: OpenBrowser, isUnexpected: boolean) => void,
) {
  await using stack = new AsyncDisposableStack()
  const isRemote = 'url' in chromium
  const resolver = stack.use(createResolver({ servers: dnsServers }))
  const guard = createGuard({ resolver, settings, ownPorts: (): number[] => [...ownPorts(), proxy.port] })
  const proxy = stack.use(
    await openProxy({
      guard,
      connector: createConnector({ egressProxy, settings, resolver }),
      ...(isRemote && { listen: chromium.listen }),
    }),
  )
  const supervisor = stack.use(
    createBrowserSupervisor({
      open: (signal) =>
        isRemote ? openRemoteBrowser(chromium.url, signal) : openBrowser(chromium.executable, proxy.port),
      onEnd,
      responseMs,
      onSilence: () => onError?.(new Error('Chromium does not respond and is being stopped')),
      ...(onStart && { onStart }),
      ...(isRemote && { idleMs: REMOTE_IDLE_MS }),
    }),
  )
  const resources = stack.move()
  /** `host:port` of the proxy, as the browser reaches it. */
  const proxyAddress = isRemote ? chromium.proxy : `127.0.0.1:${proxy.port}`
  return { proxy, proxyAddress, supervisor, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
