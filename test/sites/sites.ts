import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

import type { EgressProxySettings } from '../../src/core/net/egress-proxy.ts'
import { PageScan } from '../../src/core/extract/extract.ts'
import type { Renderer } from '../../src/core/fetch/ports.ts'
import type { RenderHistory } from '../../src/core/fetch/render-history.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import { siteOf } from '../../src/core/sites/sites.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import { createExtractor } from '../../src/service/lookup/extractor.ts'
import { createOembedLookup } from '../../src/service/lookup/oembed.ts'
import { createReader, type ReadResult } from '../../src/service/lookup/reader.ts'
import { VERSION } from '../../src/version.ts'
import { budgetOf, GENEROUS_MS } from '../fetch/budget.ts'
import { fetcherFor } from '../fetch/fetcher-for.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'

/** Doubles of public sites under their own names, with TLS, and the service's reader in front of them. */
export interface Sites extends AsyncDisposable {
  /** Requests so far, as `host/path?query`. */
  requests: string[]
  read(url: string, options?: ReadOptions): Promise<{ result: ReadResult; trace: FetchTrace }>
  /** Variables with which the executable reaches the sites. */
  env: Record<string, string>
  /** The certificate of the authority of all sites, in PEM. */
  authority: string
}

export interface ReadOptions {
  timeoutMs?: number
  oembed?: boolean
  renderer?: Renderer
  history?: RenderHistory | null
  /** The operator's rules for sites. */
  sites?: readonly SiteRule[]
  trace?: FetchTrace
}

/** The response of a site; null for 404. */
export type Site = (request: Request, url: URL) => SiteResponse | Promise<SiteResponse> | null

/** A `Reply` can have a status that `Response` refuses, such as 999. */
export type SiteResponse = Response | Reply

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

/** Like the default User-Agent. Sites recognize the word "bot" in it. */
const USER_AGENT = `Mozilla/5.0 (compatible; urlmetabot/${VERSION}; +https://urlmeta.example)`

/** A public address for the egress rules. Nothing is sent there. */
const PUBLIC_ADDRESS = '93.184.215.14'

/** All names resolve to a public address, from which the egress proxy connects to one server on loopback. */
export async function openSites(hosts: readonly string[], site: Site): Promise<Sites> {
  await using stack = new AsyncDisposableStack()
  const { good, authority } = await makeCertificates(hosts)
  const requests: string[] = []
  const serve = async (tls?: ServerOptions) => {
    const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const request = requestOf(incoming, tls ? 'https' : 'http')
      const url = new URL(request.url)
      const isIcon = url.pathname === '/favicon.ico'
      if (!isIcon) requests.push(`${url.host}${url.pathname}${url.search}`)
      await send((!isIcon && (await site(request, url))) || new Response('', { status: 404 }), outgoing)
    }
    const server = tls ? createTlsServer(tls, respond) : createServer(respond)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stack.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }
  const ports: Record<number, number> = { 443: await serve(good), 80: await serve() }
  const dns = stack.use(
    await openDnsServer(Object.fromEntries(hosts.map((host) => [host, () => ({ A: [PUBLIC_ADDRESS] })]))),
  )
  const proxy = stack.use(
    await openTestProxy({
      kind: 'http',
      addressOf: (host) => (host === PUBLIC_ADDRESS ? '127.0.0.1' : host),
      portOf: (port) => ports[port] ?? port,
    }),
  )
  const egressProxy: EgressProxySettings = {
    proxy: { protocol: 'http', host: '127.0.0.1', port: proxy.port, credentials: null },
    exceptions: [],
  }
  const extractor = createExtractor(Date.now)
  let rules: readonly SiteRule[] = []
  const settings = () => ({ allow: [], sites: rules })
  const fetcher = stack.use(
    fetcherFor([], {
      dnsServers: [dns.address],
      egressProxy,
      authorities: [authority],
      settings,
      userAgent: USER_AGENT,
      startScan: (url) => new PageScan(url, undefined, Date.now(), siteOf(url.hostname, rules).read),
      refreshOf: extractor.refreshOf,
    }),
  )
  const owned = stack.move()
  return {
    requests,
    authority,
    env: { URLMETA_DNS_SERVERS: dns.address, URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` },
    async read(url, options = {}) {
      const { timeoutMs = GENEROUS_MS, oembed = true, renderer, history = null, sites: own = [] } = options
      const { trace = { hops: [] } } = options
      rules = own
      using budget = budgetOf(timeoutMs)
      const reader = createReader({
        fetcher,
        renderer: renderer ?? null,
        extractor,
        history,
        settings,
        oembed: oembed ? createOembedLookup({ fetcher, settings }) : null,
        now: Date.now,
      })
      return { result: await reader.read(new URL(url), budget, trace), trace }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function requestOf({ url = '/', headers }: IncomingMessage, scheme: string): Request {
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, `${scheme}://${headers.host}`).href, { headers: texts })
}

/** Sends a response. Clients may close the connection before its end. */
async function send({ status, headers, body }: SiteResponse, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, [...new Headers(headers)].flat())
  await pipeline(body instanceof ReadableStream ? body : [body ?? ''], outgoing).catch(() => {})
}

export function html(body: string, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body }
}

/** A page with the tags that sites send to link previews. */
export function tags(title: string, siteName: string): Reply {
  return html(
    `<!doctype html><title>${siteName}</title><meta property="og:title" content="${title}">` +
      `<meta property="og:description" content="About ${title}"><meta property="og:site_name" content="${siteName}">` +
      `<meta property="og:image" content="/image.jpg"></head><body><h1>${title}</h1>`,
  )
}

export function redirectTo(location: string, status = 302): Reply {
  return { status, headers: { Location: location }, body: '' }
}

const userAgentOf = (request: Request) => request.headers.get('user-agent') ?? ''

/** Recognizes bots as most sites do, by the word in the User-Agent. */
export const isBot = (request: Request) => /bot/i.test(userAgentOf(request))

/** Recognizes browsers as sites do. */
export const isBrowser = (request: Request) => /Chrome\//.test(userAgentOf(request))

export function json(value: object): Response {
  return Response.json(value)
}

/** A browser that always returns this page; `isCut` as in `RenderedPage`. */
export function rendererOf(url: string, page: string, isCut = false): Renderer {
  const bytes = Buffer.from(page)
  const report = { durationMs: 1, requests: 1, bytes: 1, hosts: 1, refused: [] }
  const charset = { encoding: 'utf-8', from: 'header' } as const
  return {
    render: async () => ({ page: { url: new URL(url), status: 200, kind: 'html', bytes, charset, isCut }, report }),
  }
}
