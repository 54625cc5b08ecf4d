// One server of the comparison in bench/fresh.ts: GET /?url=… fetches that page and responds with JSON. Each server runs in
// its own process under the same Bun. usage: bun bench/peer-server.ts NAME; prints its port.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

type Extract = (url: string) => Promise<unknown>

const require = createRequire(join(import.meta.dir, 'peers/package.json'))

/** The peers as set up in their documentation, with private addresses allowed. */
const PEERS: Record<string, () => Extract> = {
  'unfurl.js': () => {
    const { unfurl } = require('unfurl.js')
    // Saved pages link to oEmbed endpoints of their sites, which are not part of the comparison.
    return (url) => unfurl(url, { oembed: false })
  },
  'url-metadata': () => {
    const urlMetadata = require('url-metadata')
    const requestFilteringAgentOptions = { allowPrivateIPAddress: true, allowMetaIPAddress: true }
    return (url) => urlMetadata(url, { requestFilteringAgentOptions })
  },
  'open-graph-scraper': () => {
    const openGraphScraper = require('open-graph-scraper')
    return async (url) => (await openGraphScraper({ url })).result
  },
  /** A simple implementation without a metadata library. */
  'node-html-parser': () => {
    const { parse } = require('node-html-parser')
    return async (url) => {
      const root = parse(await (await fetch(url)).text())
      const content = (name: string) =>
        root.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.getAttribute('content')
      return {
        title: content('og:title') ?? root.querySelector('title')?.text,
        description: content('og:description') ?? content('description'),
        image: content('og:image'),
        canonical: root.querySelector('link[rel=canonical]')?.getAttribute('href'),
      }
    }
  },
}

/** Reads no metadata: the upper bound for fetching pages. */
async function fetchAndDrain(url: string): Promise<{ bytes: number }> {
  return { bytes: (await (await fetch(url)).arrayBuffer()).byteLength }
}

const [name = ''] = Bun.argv.slice(2)
const urlOf = (path = '') => new URL(path, 'http://localhost').searchParams.get('url')!

if (name === 'bare') {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => Response.json(await fetchAndDrain(urlOf(url))),
  })
  console.log(server.port)
} else {
  const extract = PEERS[name]!()
  const server = createServer(async (request, response) => {
    const body = await extract(urlOf(request.url)).catch((error: unknown) => ({ error: String(error) }))
    response.writeHead('error' in (body as object) ? 502 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}
