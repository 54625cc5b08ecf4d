import type { AllowRule } from '../core/egress.ts'
import type { EgressProxySettings } from '../core/egress-proxy.ts'
import { imageTypeOf } from '../core/content-type.ts'
import type { Image, ImageFetcher } from '../core/ports.ts'
import type { SiteRule } from '../core/site-rule.ts'
import { readStart } from './body.ts'
import { createConnections } from './connections.ts'
import { createConnector } from './connector.ts'
import { createGuard } from './guard.ts'
import { startRedirectChain, followRedirects, type FinalResponse } from './redirects.ts'
import { createResolver } from './resolver.ts'
import { createSlots } from './slots.ts'
import { createRequester } from './requester.ts'

/** Preview images, which chat apps also load, are usually smaller. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/** Images that take longer are not shown. */
const DEADLINE_MS = 8_000

const MAX_REDIRECTS = 5

/** Enough for a few users with a few previews each; each may take `MAX_IMAGE_BYTES` of memory. */
const MAX_CONCURRENT = 16
const MAX_PER_HOST = 4

export interface ImagesDeps {
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

/**
 * Fetches preview images for the dashboard. They go through the guard like pages, but have their own slots, so that
 * previews never delay the API. Disposing it cancels pending requests.
 */
export function createImageFetcher(deps: ImagesDeps): ImageFetcher & Disposable {
  const { allow, dnsServers, egressProxy, sites, userAgent, ownPorts } = deps
  const closing = new AbortController()
  const resolver = createResolver({ servers: dnsServers })
  const connections = createConnections()
  const send = createRequester({
    guard: createGuard({ resolver, allow, ownPorts }),
    slots: createSlots({ total: MAX_CONCURRENT }),
    connections,
    connector: createConnector({ egressProxy, sites, resolver }),
    sharesOf: ({ url }) => [{ key: url.host, limit: MAX_PER_HOST }],
  })

  return {
    async fetch(url, requestSignal) {
      const signal = AbortSignal.any([requestSignal, closing.signal, AbortSignal.timeout(DEADLINE_MS)])
      const trace = { hops: [] }
      const chain = startRedirectChain({
        send,
        signal,
        caller: null,
        trace,
        userAgent,
        sites,
        // The page of the image may be.
        isAfterEncrypted: true,
        redirectsLeft: MAX_REDIRECTS,
      })
      try {
        return await followRedirects(chain, url, 'caller', (final) => read(final, signal))
      } catch {
        // The reason is not needed: the page is shown without the image.
        return null
      }
    },
    [Symbol.dispose]() {
      closing.abort(new Error('the image fetcher is closed'))
      connections[Symbol.dispose]()
      resolver[Symbol.dispose]()
    },
  }
}

/**
 * The type is determined by the first bytes only, not by Content-Type. SVG is not allowed, because it is a document
 * that can contain scripts.
 */
async function read({ response, hop }: FinalResponse, signal: AbortSignal): Promise<Image | null> {
  if (hop.status !== 200) return null
  const bytes = await readStart(response, MAX_IMAGE_BYTES + 1, signal)
  const mimeType = imageTypeOf(bytes)
  return mimeType === null || bytes.length > MAX_IMAGE_BYTES ? null : { mimeType, bytes }
}
