import { addAbortListener } from 'node:events'

import { messageOf } from '../../core/errors.ts'
import { maskedBrowserUrl } from '../../core/net/remote-chromium.ts'
import { connectBrowser, type OpenBrowser } from './open-browser.ts'
import { connectWebSocketTransport } from './websocket-transport.ts'

/** A browser pool may start a browser for each connection, which takes seconds on a busy machine. */
const CONNECT_MS = 15_000

/**
 * Connects to a running browser. Disposing the result closes the connection and all its pages.
 * @param signal cancels the attempt
 * @throws Error whose message does not contain the token of the URL
 */
export async function openRemoteBrowser(url: string, signal: AbortSignal): Promise<OpenBrowser> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
  try {
    const transport = await connectWebSocketTransport(await webSocketUrlOf(url, deadline), deadline)
    const close = () => transport.close()
    using _listener = addAbortListener(deadline, close)
    try {
      const opened = await connectBrowser(transport, { timeout: CONNECT_MS })
      return { ...opened, process: null, hasSandbox: null, [Symbol.asyncDispose]: async () => close() }
    } catch (error) {
      close()
      throw error
    }
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- errors of `fetch` have the URL, and the log shows causes
    throw new Error(`no connection to the Chromium at ${maskedBrowserUrl(url)}: ${messageOf(error)}`)
  }
}

/**
 * The WebSocket URL that an `http` endpoint returns, with the endpoint's own host, because the returned host may be
 * unreachable.
 */
async function webSocketUrlOf(text: string, signal: AbortSignal): Promise<string> {
  const url = new URL(text)
  if (url.protocol.startsWith('ws')) return text
  const base = url.href.replace(/^http/, 'ws')
  url.pathname = `${url.pathname.replace(/\/$/, '')}/json/version`
  const response = await fetch(url, { redirect: 'manual', signal })
  if (!response.ok) throw new Error(`HTTP ${response.status} at /json/version`)
  const { webSocketDebuggerUrl } = Object((await response.json()) as unknown) as Record<string, unknown>
  const advertised = typeof webSocketDebuggerUrl === 'string' ? URL.parse(webSocketDebuggerUrl) : null
  if (advertised === null) throw new Error('/json/version has no webSocketDebuggerUrl')
  const target = new URL(base)
  target.pathname = advertised.pathname
  target.search = advertised.search || target.search
  return target.href
}
