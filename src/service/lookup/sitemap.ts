import { bytesText } from '../../core/byte-count.ts'
import { AppError } from '../../core/errors.ts'
import { COMMAND_LINE, type FileFetcher } from '../../core/fetch/ports.ts'
import { parseSitemap } from '../../core/fetch/sitemap.ts'
import { parseUrl } from '../../core/web-url.ts'

/** The size that the protocol allows, uncompressed. https://www.sitemaps.org/protocol.html */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

/** Large sitemaps are often generated when they are requested. */
const SITEMAP_MS = 30_000

/** Pages of all sitemaps together: as many as a run of an hour can check at three a second. */
export const MAX_SITEMAP_PAGES = 10_000

/** An index may list 50,000 sitemaps. Each has mostly hundreds of pages or more. */
const MAX_SITEMAPS = 500

const ACCEPT = 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8'

/** The first bytes of a gzip file (RFC 1952). */
const GZIP = [0x1f, 0x8b]

/**
 * The URLs that a sitemap lists, or that the sitemaps of an index list, without repetitions.
 * @returns `isCut` if there are more than are returned
 * @throws AppError `fetch_failed` if one of the sitemaps cannot be read
 */
export async function readSitemap(files: FileFetcher, url: URL, signal: AbortSignal) {
  const pages = new Set<string>()
  const first = await readOne(files, url, signal)
  if (first.kind === 'pages') addAll(pages, first.urls)
  const listed = first.kind === 'index' ? first.urls : []
  for (const location of listed.slice(0, MAX_SITEMAPS)) {
    if (pages.size > MAX_SITEMAP_PAGES) break
    const sitemap = parseUrl(location)
    if (sitemap === null) throw new AppError('fetch_failed', `Cannot read ${url.href}: ${location} is not a URL`)
    const { kind, urls } = await readOne(files, sitemap, signal)
    // The protocol does not allow an index in an index.
    if (kind === 'pages') addAll(pages, urls)
  }
  const isCut = pages.size > MAX_SITEMAP_PAGES || listed.length > MAX_SITEMAPS
  return { urls: [...pages].slice(0, MAX_SITEMAP_PAGES), isCut }
}

/**
 * As the URL parser writes them, without line breaks and control characters. Others are reported when they are read.
 */
function addAll(pages: Set<string>, urls: readonly string[]) {
  for (const url of urls) pages.add(parseUrl(url)?.href ?? url)
}

async function readOne(files: FileFetcher, url: URL, signal: AbortSignal) {
  const failed = (problem: string) => new AppError('fetch_failed', `Cannot read ${url.href}: ${problem}`)
  const options = { accept: ACCEPT, maxBytes: MAX_SITEMAP_BYTES + 1, deadlineMs: SITEMAP_MS, caller: COMMAND_LINE }
  const file = await files.fetch(url, options, signal)
  signal.throwIfAborted()
  if ('problem' in file) throw failed(file.problem)
  if (file.status !== 200) throw failed(`HTTP ${file.status}`)
  const isCompressed = GZIP.every((byte, index) => file.bytes[index] === byte)
  const bytes = isCompressed ? await uncompressed(file.bytes).catch(() => null) : file.bytes
  if (bytes === null) throw failed('not a gzip file')
  if (bytes.length > MAX_SITEMAP_BYTES) throw failed(`over ${bytesText(MAX_SITEMAP_BYTES)}`)
  const sitemap = parseSitemap(new TextDecoder().decode(bytes))
  if (sitemap === null) throw failed('not a sitemap')
  return sitemap
}

/** At most one byte more than allowed. */
async function uncompressed(bytes: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_SITEMAP_BYTES) break
  }
  return Buffer.concat(chunks)
}
