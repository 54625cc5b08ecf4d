import type { Metadata } from '../metadata.ts'
import { type PageEvidence, evidenceOf } from './evidence.ts'
import type { Field } from './field.ts'
import { nested } from './field-paths.ts'
import { FIELDS } from './fields.ts'
import { Page } from './page.ts'
import { type Refresh, refreshOf } from './refresh.ts'
import { Sieve, sieve, type SieveResult } from './sieve.ts'
import { toAsciiCompatible } from './transcode.ts'

export { describeFile } from './describe-file.ts'

/** A page as received: uncompressed, but not yet decoded to text. */
export interface HtmlSource {
  bytes: Uint8Array
  /** A WHATWG encoding name. */
  encoding: string
  /** The URL of the page after redirects. */
  url: URL
  /** What read these very bytes while they arrived; without it they are read now. */
  scan?: PageScan | undefined
}

/** Reads a page while it arrives, each byte once: what was read is not read again by `extractHtml`. */
export class PageScan {
  readonly #sieve = new Sieve()

  /** @param bytes all that has come so far, in an encoding that writes ASCII as ASCII */
  read(bytes: Uint8Array): void {
    this.#sieve.read(bytes, false)
  }

  /** The end tag of the head, or the start tag of the body, has come. */
  get hasHeadEnded(): boolean {
    return this.#sieve.headEnded
  }

  /** The head has ended and holds an og:title: `extractHtml` would read no further, so the page may be cut off here. */
  get isHeadComplete(): boolean {
    return this.#sieve.endedWithHead
  }

  /** How far the page was read; what lies behind a complete head is of no use. */
  get bytesRead(): number {
    return this.#sieve.bytesRead
  }

  /** @param bytes all of the page that there will be */
  finish(bytes: Uint8Array): SieveResult {
    this.#sieve.read(bytes, true)
    return this.#sieve.result()
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
  const scan = bytes === source.bytes ? source.scan : undefined
  const { harvest, body, endedWithHead } = scan?.finish(bytes) ?? sieve(bytes)
  const page = new Page(harvest, bytes, encoding, source.url)
  const { metadata, sources } = metadataOf(page)
  return {
    metadata,
    sources,
    evidence: evidenceOf(page, metadata, body, !endedWithHead),
    refresh: refreshOf(page, metadata, body),
  }
}

/** The fields that were found, in the specification's shape. */
function metadataOf(page: Page): Pick<Extraction, 'metadata' | 'sources'> {
  const values: [path: string, value: string][] = []
  const sources: Sources = {}
  for (const field of FIELDS) {
    const found = firstAccepted(field, page)
    if (found === undefined) continue
    values.push([field.path, found.value])
    sources[field.path] = found.label
  }
  return { metadata: nested(values) as Metadata, sources }
}

function firstAccepted({ kind, sources }: Field, page: Page): { value: string; label: string } | undefined {
  const normalize = kind(page)
  for (const { label, find } of sources) {
    const value = find(page, normalize)
    if (value !== undefined) return { value, label }
  }
  return undefined
}
