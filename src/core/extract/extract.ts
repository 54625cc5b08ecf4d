import type { Metadata } from '../metadata.ts'
import { type PageEvidence, evidenceOf } from './evidence.ts'
import { nested } from './field-paths.ts'
import { FIELDS } from './fields.ts'
import { Page, PageReaders } from './page.ts'
import { isHomePage, isKnown } from './reading-end.ts'
import { type Refresh, refreshOf } from './refresh.ts'
import { Sieve, type SieveResult } from './sieve.ts'
import { toAsciiCompatible } from './transcode.ts'

export { describeFile } from './describe-file.ts'

/** A page as received: uncompressed, but not yet decoded to text. */
export interface HtmlSource {
  bytes: Uint8Array
  /** A WHATWG encoding name. */
  encoding: string
  /** The URL of the page after redirects. */
  url: URL
  /** In milliseconds since 1970: a later date is not that of the page. Without it all are. */
  now?: number
  /** What read these very bytes while they arrived; without it they are read now. */
  scan?: PageScan | undefined
}

/** Reads a page while it arrives, each byte once: what was read is not read again by `extractHtml`. */
export class PageScan {
  readonly #sieve: Sieve
  readonly #readers: PageReaders

  /**
   * @param url the URL of the page after redirects
   * @param encoding a WHATWG encoding name; the default does while it is not known yet
   * @param now in milliseconds since 1970
   */
  constructor(
    url: URL,
    readonly encoding = 'utf-8',
    now?: number,
  ) {
    this.#readers = new PageReaders(new Uint8Array(), encoding)
    this.#sieve = new Sieve((harvest) => isHomePage(url) || isKnown(new Page(harvest, this.#readers, url, now)))
  }

  /** @param bytes all that has come so far, in an encoding that writes ASCII as ASCII */
  read(bytes: Uint8Array): void {
    this.#read(bytes, false)
  }

  /** The end tag of the head, or the start tag of the body, has come. */
  get hasHeadEnded(): boolean {
    return this.#sieve.headEnded
  }

  /** `extractHtml` would read no further, so the page may be cut off here. */
  get isReadingOver(): boolean {
    return this.#sieve.isOver
  }

  /** How far the page was read; when reading is over, what lies behind is of no use. */
  get bytesRead(): number {
    return this.#sieve.bytesRead
  }

  /** @param bytes all of the page that there will be */
  finish(bytes: Uint8Array): SieveResult & { readers: PageReaders } {
    this.#read(bytes, true)
    return { ...this.#sieve.result(), readers: this.#readers }
  }

  #read(bytes: Uint8Array, isWhole: boolean): void {
    this.#readers.text.bytes = bytes
    this.#sieve.read(bytes, isWhole)
  }
}

/** The source of each value, by field: `title` → `og:title`, `meta.author` → `json-ld author`. */
export type Sources = Record<string, string>

/** A page's metadata, and what the rules for rendering and redirects need. */
export interface Extraction {
  metadata: Metadata
  sources: Sources
  evidence: PageEvidence
  refresh: Refresh | null
}

/**
 * Extracts a page's metadata. Never throws, whatever the bytes, and takes time in proportion to their number.
 * docs/extraction.md describes the rules.
 */
export function extractHtml(source: HtmlSource): Extraction {
  const { bytes, encoding } = toAsciiCompatible(source)
  // Rewritten or without its byte-order mark, it is another page than the one that was read as it came.
  const arrived = bytes === source.bytes ? source.scan : undefined
  const scan = arrived ?? new PageScan(source.url, encoding, source.now)
  const { harvest, body, hasCompleteHead, readers } = scan.finish(bytes)
  const pageReaders = scan.encoding === encoding ? readers : new PageReaders(bytes, encoding)
  const page = new Page(harvest, pageReaders, source.url, source.now)
  const { metadata, sources } = metadataOf(page)
  return {
    metadata,
    sources,
    evidence: evidenceOf(page, metadata, body, !hasCompleteHead),
    refresh: refreshOf(page, metadata, body),
  }
}

/** The fields that were found, in the specification's shape. */
function metadataOf(page: Page): Pick<Extraction, 'metadata' | 'sources'> {
  const values: [path: string, value: string][] = []
  const sources: Sources = {}
  for (const field of FIELDS) {
    const answer = page.answer(field)
    if (answer === undefined) continue
    values.push([field.path, answer.value])
    sources[field.path] = answer.source.label
  }
  return { metadata: nested(values) as Metadata, sources }
}
