// The sites of bench/soak.ts and bench/small.ts, at `N.NAME.example` in their own network: saved, small, rendered and hostile
// pages, and images.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { png } from '../test/origin/images.ts'
import { HOSTILE_PAGES } from '../test/origin/hostile-scripts.ts'
import { pagesOf } from './pages.ts'

/** Typical of images for cards. */
const IMAGE_BYTES = 150_000

const HTML = 'text/html; charset=utf-8'
const SMALL = `<!doctype html><title>A page</title><meta name=description content=Text><link rel=icon href=/icon.png>
<meta property=og:image content=/image.png><meta property=og:image:width content=1200><meta property=og:image:height content=630>`
const SHELL = `<!doctype html><link rel=icon href=/icon.png><div id=root></div>
<script>
  document.title = 'Set by a script'
  for (const [property, content] of [['og:title', 'Title'], ['og:description', 'Text'], ['og:image', '/image.png'], ['og:type', 'article']]) {
    const meta = document.createElement('meta')
    meta.setAttribute('property', property)
    meta.content = content
    document.head.append(meta)
  }
  document.getElementById('root').textContent = 'Text'
</script>`

/** Takes memory outside of the JavaScript heap, which the engine does not limit. */
const MEMORY =
  '<!doctype html><title>A page</title><script>for (const held = [];;) held.push(new Uint8Array(16e6).fill(1))</script>'

/** A page, compressed if its file is. The type has no charset, so that it is detected. */
interface SavedPage {
  bytes: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

export interface Sites extends Disposable {
  /** The Nth site of these has the Nth page at every path. */
  savedPages: number
}

/** The paths of pages whose scripts try to exhaust or block the browser. */
export const SCRIPT_PATHS: readonly string[] = HOSTILE_PAGES.map(({ path }) => path)

/**
 * Serves all sites on port 80 of all addresses.
 * @param dirs with saved pages as `.html` or `.html.gz`; generated pages if there are none
 * @param forbiddenPort of this machine, which `/forbidden` redirects to
 */
export function openSites(dirs: readonly string[], forbiddenPort: number): Sites {
  const saved = dirs.length === 0 ? pagesOf(undefined).map((bytes) => savedPage(bytes, false)) : dirs.flatMap(readSaved)
  const image = new Uint8Array(IMAGE_BYTES)
  image.set(png(1200, 630))
  const pageOf: Readonly<Record<string, (n: number, url: URL) => Response>> = {
    saved: (n) => new Response(saved[n % saved.length]!.bytes, saved[n % saved.length]),
    rendered: (n, url) => pageOf['saved']!(n, url),
    small: () => typed(SMALL, HTML),
    shell: () => typed(SHELL, HTML),
    memory: () => typed(MEMORY, HTML),
    scripts: (_, { pathname }) => HOSTILE_PAGES.find(({ path }) => path === pathname)?.respond() ?? typed('', HTML),
  }
  const server = Bun.serve({
    port: 80,
    hostname: '0.0.0.0',
    fetch(request) {
      const url = new URL(request.url)
      const [number = '', name = ''] = url.hostname.split('.')
      if (url.pathname === '/image.png') return typed(image, 'image/png')
      if (url.pathname === '/forbidden') return Response.redirect(`http://127.0.0.1:${forbiddenPort}/`)
      return pageOf[name]?.(Number(number), url) ?? new Response('', { status: 404 })
    },
  })
  return { savedPages: saved.length, [Symbol.dispose]: () => void server.stop(true) }
}

function readSaved(dir: string): SavedPage[] {
  const names = readdirSync(dir).filter((name) => /\.html(\.gz)?$/.test(name))
  if (names.length === 0) throw new Error(`no .html files in ${dir}`)
  return names.toSorted().map((name) => savedPage(new Uint8Array(readFileSync(join(dir, name))), name.endsWith('.gz')))
}

function savedPage(bytes: Uint8Array, isCompressed: boolean): SavedPage {
  const headers = { 'content-type': 'text/html', ...(isCompressed && { 'content-encoding': 'gzip' }) }
  return { bytes: new Uint8Array(bytes), headers }
}

function typed(body: string | Uint8Array<ArrayBuffer>, type: string): Response {
  return new Response(body, { headers: { 'content-type': type } })
}
