/** A Chromium on another machine or in another container, and how it reaches the proxy of this process. */
export interface RemoteChromium {
  /** `ws(s)://` of a browser, or `http(s)://` of its DevTools, for example with `--remote-debugging-port`. */
  url: string
  /** The address of the proxy; IPv6 without brackets. */
  listen: { host: string; port: number }
  /** `host:port` at which the browser reaches the proxy; IPv6 in brackets. */
  proxy: string
}

/** The URL without its path and query, which may contain a token. */
export function maskedBrowserUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return '••••'
  const origin = `${url.protocol}//${url.host}`
  return url.pathname + url.search === '/' ? origin : `${origin}/••••`
}
