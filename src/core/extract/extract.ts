import { EXTRA_SOURCES, EXTRA_NAMES, type FoundExtra } from './fields/extra.ts'
import { type Metadata, nested } from './fields/metadata.ts'
import { type PageEvidence, evidenceOf } from '../walls/evidence.ts'
import type { Harvest } from './page/harvest.ts'
import { FIELDS } from './fields/fields.ts'
import type { Field } from './sources/field.ts'
import { Page } from './page/page.ts'
import { PageReaders } from './page/page-readers.ts'
import { refreshOf } from './page/refresh.ts'
import { Sieve } from './page/sieve.ts'
import { type EncodedPage, toAsciiCompatible } from './reading/transcode.ts'

/** A page as received: uncompressed, but not yet decoded to text. */
export interface HtmlSource extends EncodedPage {
  /** The URL of the page after redirects. */
  url: URL
  /**
   * Unix milliseconds. Later dates are ignored; by default, there is no limit. Not used with `scan`, which has its
   * own `now`.
   */
  now?: number
  /** The scan that has read these bytes as they arrived. If absent, the bytes are read now. */
  scan?: PageScan | undefined
  /** The Refresh header of the response. */
  refresh?: string | null | undefined
  /** The canonical URL in the Link header of the response. */
  canonical?: string | null | undefined
}

/** Fields for which a page is read beyond its head. The date comes first, because it is usually in a meta element. */
const WANTED = ['meta.published_time', 'meta.author'].map((path) => FIELDS.find((field) => field.path === path)!)

/** Reads a page as it arrives. Each byte is read once: `extractHtml` does not read the page again. */
export class PageScan extends Sieve {
  readonly #readers: PageReaders
  /** The page at the checkpoint that ended reading, with its values. */
  #page: Page | null = null

  /**
   * @param encoding may be omitted while it is unknown
   * @param reading how far to read a page with an og:title: to the end of its head, or to its end. If undefined, until
   * its author and date are known.
   */
  constructor(
    readonly url: URL,
    readonly encoding = 'utf-8',
    readonly now?: number,
    reading?: 'head' | 'whole',
  ) {
    super(reading === undefined ? (harvest) => this.#hasEnough(harvest) : () => reading === 'head')
    this.#readers = new PageReaders(new Uint8Array(), encoding)
  }

  override read(bytes: Uint8Array, isWhole = false): void {
    this.#readers.text.bytes = bytes
    this.#readers.text.isXml = this.isXml
    super.read(bytes, isWhole)
  }

  /** The locale that the page declares, or ''. */
  get locale(): string {
    return this.#pageOf(this.result().harvest).locale
  }

  /** @param bytes the whole page, or the part of it that was received */
  finish(bytes: Uint8Array) {
    this.read(bytes, true)
    const result = this.result()
    return { ...result, page: this.#page ?? this.#pageOf(result.harvest) }
  }

  #hasEnough(harvest: Harvest): boolean {
    if (isHomePage(this.url)) return true
    const page = this.#pageOf(harvest)
    // Once each of these fields has a reliable value, the rest of the page need not be read.
    if (WANTED.some((field) => page.reliableValue(field) === undefined)) return false
    this.#page = page
    return true
  }

  #pageOf(harvest: Harvest): Page {
    return new Page(harvest, this.#readers, this.url, this.now)
  }
}

/** A home page has neither an author nor a date. WordPress without permalinks has all pages there: `/?p=123`. */
function isHomePage(url: URL): boolean {
  return url.pathname === '/' && !/[?&](?:p|page_id|id)=\d/.test(url.search)
}

/** The source of each value, by field: `title` → `og:title`, `meta.author` → `json-ld author`. */
export type Sources = Record<string, string>

/** A page's metadata, and the inputs of the rules for rendering and redirects. */
export interface Extraction {
  metadata: Metadata
  sources: Sources
  /** The fields that requests may name in `fields`. */
  extra: FoundExtra
  evidence: PageEvidence
  /**
   * The target of a page that only redirects, by a refresh, a script or the link of a link shortener; null for other
   * pages.
   */
  refresh: URL | null
  /** The oEmbed endpoint that the page declares; null if none. */
  oembed: URL | null
}

/** Extracts metadata by the rules of docs/extraction.md. Never throws; takes time proportional to the page's size. */
export function extractHtml(source: HtmlSource): Extraction {
  const { bytes, encoding } = toAsciiCompatible(source)
  // A converted page must be scanned again, because the scan has read other bytes.
  const arrived = bytes === source.bytes ? source.scan : undefined
  const scan = arrived ?? scanLike(source, encoding)
  const { harvest, body, hasCompleteHead, page: scanned } = scan.finish(bytes)
  const isDecoded = scan.encoding === encoding
  const page = isDecoded ? scanned : new Page(harvest, new PageReaders(bytes, encoding, scan.isXml), scan.url, scan.now)
  page.canonicalHeader = source.canonical ?? null
  const { metadata, sources } = metadataOf(page)
  return {
    metadata,
    sources,
    extra: foundExtra(page, metadata.image),
    evidence: evidenceOf(page, metadata, body, !hasCompleteHead),
    refresh: refreshOf(page, metadata, body, source.refresh ?? null),
    oembed: page.oembed,
  }
}

/** Starts the scan of a page that was not scanned, or of the converted bytes of a page. */
function scanLike({ url, now, scan }: HtmlSource, encoding: string): PageScan {
  const like = new PageScan(url, encoding, now)
  like.isXml = scan?.isXml ?? false
  return like
}

/** The values that were found, nested as in the response, and their sources. */
export function metadataOf(page: Page, fields: readonly Field[] = FIELDS): Pick<Extraction, 'metadata' | 'sources'> {
  const values: [path: string, value: string][] = []
  const sources: Sources = {}
  for (const field of fields) {
    const found = page.fieldValue(field)
    if (found === undefined) continue
    values.push([field.path, found.value])
    sources[field.path] = found.source.label
  }
  return { metadata: nested(values) as Metadata, sources }
}

function foundExtra(page: Page, image: string | undefined): FoundExtra {
  const found = EXTRA_NAMES.flatMap((name) => {
    for (const { label, find } of EXTRA_SOURCES[name]) {
      const value = find(page, image)
      if (value !== undefined) return [[name, { value, source: label }]]
    }
    return []
  })
  return Object.fromEntries(found)
}
