import type { EgressProxySettings } from '../../src/core/egress-proxy.ts'
import { PageScan } from '../../src/core/extract/extract.ts'
import type { Renderer, RenderHistory } from '../../src/core/ports.ts'
import type { SiteRule } from '../../src/core/site-rule.ts'
import type { FetchTrace } from '../../src/core/trace.ts'
import { createExtractor } from '../../src/service/extractor.ts'
import { createOembedLookup } from '../../src/service/oembed.ts'
import { createReader, type ReadResult } from '../../src/service/reader.ts'
import { budgetOf, GENEROUS_MS } from '../fetch/budget.ts'
import { fetcherFor } from '../fetch/fetcher-for.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openTestProxy } from '../origin/egress-proxy.ts'

/** Doubles of public sites under their own names, with TLS, and the service's reader in front of them. */
export interface Sites extends AsyncDisposable {
  /** Requests so far, as `host/path?query`. */
  asked: string[]
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
}

/** What a site responds; null for 404. */
export type Site = (request: Request, url: URL) => Response | Promise<Response> | null

/** A public address for the egress rules. Nothing is sent there. */
const PUBLIC_ADDRESS = '93.184.215.14'

/** All names resolve to a public address, from which the egress proxy connects to one server on loopback. */
export async function openSites(hosts: readonly string[], site: Site): Promise<Sites> {
  await using stack = new AsyncDisposableStack()
  const { good, authority } = await makeCertificates(hosts)
  const asked: string[] = []
  const serve = (tls?: Bun.TLSOptions) => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      ...(tls && { tls }),
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const host = request.headers.get('host') ?? ''
        const url = new URL(`${tls ? 'https' : 'http'}://${host}${pathname}${search}`)
        if (pathname === '/favicon.ico') return new Response('', { status: 404 })
        asked.push(`${host}${pathname}${search}`)
        return (await site(request, url)) ?? new Response('', { status: 404 })
      },
    })
    stack.defer(() => server.stop(true))
    return server.port!
  }
  const ports: Record<number, number> = { 443: serve(good), 80: serve() }
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
  const rules: SiteRule[] = []
  const fetcher = stack.use(
    fetcherFor([], {
      dnsServers: [dns.address],
      egressProxy,
      authorities: [authority],
      sites: rules,
      startScan: (url) => new PageScan(url, undefined, Date.now()),
      refreshOf: extractor.refreshOf,
    }),
  )
  const owned = stack.move()
  return {
    asked,
    authority,
    env: { URLMETA_DNS_SERVERS: dns.address, URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` },
    async read(url, { timeoutMs = GENEROUS_MS, oembed = true, renderer, history = null, sites = [] } = {}) {
      rules.splice(0, rules.length, ...sites)
      using budget = budgetOf(timeoutMs)
      const trace: FetchTrace = { hops: [] }
      const reader = createReader({
        fetcher,
        renderer: renderer ?? null,
        extractor,
        history,
        sites: rules,
        oembed: oembed ? createOembedLookup({ fetcher, allow: [], sites: rules }) : null,
        now: Date.now,
      })
      return { result: await reader.read(new URL(url), budget, trace), trace }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function html(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

export function json(value: object): Response {
  return Response.json(value)
}

/** A browser that always returns this page. */
export function rendererOf(url: string, page: string): Renderer {
  const bytes = Buffer.from(page)
  const report = { durationMs: 1, requests: 1, bytes: 1, hosts: 1, refused: [] }
  const charset = { encoding: 'utf-8', from: 'header' } as const
  return {
    render: async () => ({ page: { url: new URL(url), status: 200, kind: 'html', bytes, charset }, report }),
  }
}
