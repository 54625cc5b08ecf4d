import providers from 'oembed-providers/providers.json' with { type: 'json' }

import { MAX_URL_CHARACTERS } from '../limits.ts'
import { MAX_NAME_CHARACTERS } from '../net/local-name.ts'
import { withoutFragment } from '../net/url.ts'
import { matchesWildcards } from '../wildcards.ts'

/** An entry of the registry at https://oembed.com. build.ts embeds only these fields. */
export interface OembedProvider {
  endpoints: readonly {
    /** May contain `{format}`. */
    url: string
    /** Patterns of the URLs that the endpoint describes; `*` stands for any text. */
    schemes?: readonly string[]
  }[]
}

/** Meta's endpoints for Facebook and Instagram require the access token of an app. */
const HOSTS_THAT_NEED_A_TOKEN: ReadonlySet<string> = new Set(['graph.facebook.com'])

/** `https://*.youtube.com/watch*`: wildcards for whole labels, the rest of the host, and the path with the query. */
const SCHEME = /^https?:\/\/((?:\*\.)*)([^/*]+)(\/.*)$/

interface Pages {
  endpoint: string
  /** The minimum number of labels before the host; 0 if no label is allowed. */
  labels: number
  /** Path and query, in which `*` stands for any text. */
  path: string
}

/** Patterns by host without wildcards. Created on first use, because most commands do not need them. */
let pagesByHost: ReadonlyMap<string, readonly Pages[]> | undefined

/** The oEmbed request about a page to a provider of the registry; null if no provider describes the page. */
export function endpointOf(page: URL): URL | null {
  // The registry has no ports.
  if (page.port !== '' || page.hostname.length > MAX_NAME_CHARACTERS) return null
  pagesByHost ??= readProviders(providers)
  const labels = page.hostname.split('.')
  const path = page.pathname + page.search
  for (const [inFront] of labels.entries()) {
    const candidates = pagesByHost.get(labels.slice(inFront).join('.')) ?? []
    const found = candidates.find((pages) => isHost(pages, inFront) && matchesWildcards(path, pages.path))
    if (found !== undefined) return requestOf(found.endpoint, page)
  }
  return null
}

/** The URL patterns of the providers by host. Patterns of other protocols (`spotify:*`) are skipped. */
function readProviders(all: readonly OembedProvider[]): Map<string, Pages[]> {
  const byHost = new Map<string, Pages[]>()
  for (const { url, schemes = [] } of all.flatMap(({ endpoints }) => endpoints)) {
    if (HOSTS_THAT_NEED_A_TOKEN.has(URL.parse(url)?.hostname ?? '')) continue
    for (const scheme of schemes) {
      const [, wildcards = '', host, path] = SCHEME.exec(scheme) ?? []
      if (host === undefined || path === undefined) continue
      const pages = { endpoint: url, labels: wildcards.length / '*.'.length, path }
      byHost.getOrInsertComputed(host, () => []).push(pages)
    }
  }
  return byHost
}

/** A single wildcard usually stands for `www`, which users omit. */
function isHost({ labels }: Pages, inFront: number): boolean {
  return inFront === 0 ? labels <= 1 : labels > 0 && inFront >= labels
}

/** The oEmbed request about `page` (https://oembed.com section 2.2), for JSON, or null if it would be too long. */
export function requestOf(endpoint: string, page: URL): URL | null {
  const request = new URL(endpoint.replace('{format}', 'json'))
  request.searchParams.set('url', withoutFragment(page.href))
  if (!endpoint.includes('{format}')) request.searchParams.set('format', 'json')
  return request.href.length <= MAX_URL_CHARACTERS ? request : null
}
