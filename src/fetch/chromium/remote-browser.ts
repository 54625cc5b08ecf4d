import { messageOf } from '../../core/errors.ts'
import { connectBrowser, type OpenBrowser } from './open-browser.ts'
import { connectWebSocketTransport } from './websocket-transport.ts'

/** A remote Chromium, and how it reaches the proxy of this process. */
export interface RemoteChromium {
  /** `ws(s)://` of a browser, or `http(s)://` of its DevTools, such as with `--remote-debugging-port`. */
  url: string
  /** Where the proxy listens. */
  listen: { host: string; port: number }
  /** `host:port` at which the browser reaches it. */
  proxy: string
}

/** A pool may start a browser for each connection, which takes seconds on a busy machine. */
const CONNECT_MS = 15_000

/**
 * Connects to a running browser. Disposing it closes the connection and all its pages.
 * @param signal cancels the attempt
 * @throws Error without the token of the URL
 */
export async function openRemoteBrowser(url: string, signal: AbortSignal): Promise<OpenBrowser> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
  try {
    const transport = await connectWebSocketTransport(await webSocketUrlOf(url, deadline), deadline)
    const close = () => transport.close()
    deadline.addEventListener('abort', close, { once: true })
    try {
      const opened = await connectBrowser(transport, { timeout: CONNECT_MS })
      return { ...opened, process: null, hasSandbox: null, [Symbol.asyncDispose]: async () => close() }
    } catch (error) {
      close()
      throw error
    } finally {
      deadline.removeEventListener('abort', close)
    }
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- errors of `fetch` have the URL, and the log shows causes
    throw new Error(`no connection to the Chromium at ${maskedBrowserUrl(url)}: ${messageOf(error)}`)
  }
}

/** The WebSocket URL that an `http` endpoint returns, with the endpoint's host: the returned one may be unreachable. */
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

/** The URL without its path and query, which may contain a token. */
export function maskedBrowserUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return '••••'
  const origin = `${url.protocol}//${url.host}`
  return url.pathname + url.search === '/' ? origin : `${origin}/••••`
}
