// The requests of bench/soak.ts.
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import type { OriginPorts } from './fetch-origin.ts'
import type { Installation } from './servers.ts'
import { SCRIPT_PATHS } from './example-sites.ts'

const HOSTILE_BODIES = Object.keys(HOSTILE_PAGES).length
const CACHED_PAGES = 1_000
const RENDERED_SITES = 20
const IMAGE_LINKS = 50
/** Hostile servers and scripts do not end, so their requests take this long. */
const HOSTILE_TIMEOUT_MS = 1_000
const SCRIPT_TIMEOUT_MS = 3_000
const TIMEOUT_MS = 15_000
/** The page with the cards. */
const CARD_ORIGIN = 'https://blog.example'

/** The kinds of requests, with their percentages. */
export const PERCENT = {
  cached: 49,
  fresh: 20,
  format: 12,
  card: 7,
  image: 6,
  hostile: 3,
  rendered: 2.8,
  hostileScript: 0.2,
}
export type Kind = keyof typeof PERCENT
export const KINDS = Object.keys(PERCENT) as Kind[]

/** The requests for a URL in the formats of other services. */
const FORMATS: readonly ((url: string, key: string) => [path: string, init?: RequestInit])[] = [
  (url) => [`/oembed?${new URLSearchParams({ url })}`],
  (url) => [`/compat/microlink?${new URLSearchParams({ url })}`],
  (q) => [`/compat/linkpreview?${new URLSearchParams({ q })}`],
  (url) => [`/compat/opengraph/api/1.1/site/${encodeURIComponent(url)}`],
  (url) => [`/compat/iframely?${new URLSearchParams({ url })}`],
  (url, key) => [`/compat/summaly/${key}?${new URLSearchParams({ url })}`],
  (url) => [`/compat/editorjs?${new URLSearchParams({ url })}`],
  (url) => [`/compat/jsonlink/extract?${new URLSearchParams({ url })}`],
  (link) => ['/compat/peekalink', { method: 'POST', body: JSON.stringify({ link }) }],
]

export interface Requests {
  /** One request of each kind. An image is not charged. */
  send: Record<Kind, () => Promise<Response>>
  /** The number of charged requests for the links to the images. */
  charged: number
}

/** @param run distinguishes the new URLs of this run from those of earlier ones */
export async function createRequests(
  { key, command }: Installation,
  base: string,
  savedPages: number,
  ports: OriginPorts,
  run: string,
): Promise<Requests> {
  const created = command('key', 'create', '--email', 'bench@example.com', '--origins', CARD_ORIGIN, '--json')
  const { key: cardKey } = JSON.parse(created) as { key: string }
  const hostilePorts = [...ports.hostile, ports.pages]
  let next = 0
  const get = (path: string, parameters: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${base}${path}?${new URLSearchParams(parameters)}`, { headers })
  const metadata = (url: string, timeoutMs = TIMEOUT_MS, more: Record<string, string> = {}) =>
    get('/v1/metadata', { url, timeout: String(timeoutMs), ...more }, { 'x-api-key': key })
  const cachedPage = () => {
    const n = next++ % CACHED_PAGES
    return n % 2 === 0 ? `http://${n}.small.example/` : `http://${n % savedPages}.saved.example/`
  }
  const visitor = () => ({
    'x-forwarded-for': `10.${[next >> 16, next >> 8, next].map((part) => part & 255).join('.')}`,
  })

  const images: string[] = []
  for (let n = 0; n < IMAGE_LINKS; n++) {
    const response = await metadata(`http://${n}.small.example/`, TIMEOUT_MS, { fields: 'pictures' })
    const { extra } = (await response.json()) as { extra: { pictures: { image: string } } }
    images.push(new URL(extra.pictures.image).search)
  }
  return {
    charged: IMAGE_LINKS,
    send: {
      cached: () => metadata(cachedPage()),
      fresh: () => metadata(`http://${next++ % savedPages}.saved.example/${run}/${next}`),
      format() {
        const [path, init] = FORMATS[next % FORMATS.length]!(cachedPage(), key)
        return fetch(base + path, { ...init, headers: { 'x-api-key': key, 'content-type': 'application/json' } })
      },
      card: () =>
        get('/v1/metadata', { url: cachedPage() }, { 'x-api-key': cardKey, origin: CARD_ORIGIN, ...visitor() }),
      image: () => fetch(`${base}/v1/image${images[next++ % images.length]}`, { headers: visitor() }),
      hostile() {
        const port = hostilePorts[next++ % (hostilePorts.length + 1)]
        const body = Math.floor(Math.random() * HOSTILE_BODIES)
        const url = port === undefined ? 'http://0.small.example/forbidden' : `http://0.hostile.example:${port}/${body}`
        return metadata(url, HOSTILE_TIMEOUT_MS, { cache: 'false' })
      },
      rendered: () => metadata(`http://${next++ % RENDERED_SITES}.shell.example/${run}/${next}`),
      hostileScript() {
        const n = next++ % SCRIPT_PATHS.length
        return metadata(`http://${n}.scripts.example${SCRIPT_PATHS[n]}?${run}${next}`, SCRIPT_TIMEOUT_MS)
      },
    },
  }
}

export function randomKind(): Kind {
  let dice = Math.random() * 100
  return KINDS.find((kind) => (dice -= PERCENT[kind]) < 0) ?? 'cached'
}
