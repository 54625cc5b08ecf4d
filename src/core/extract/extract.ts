import type { Metadata } from '../metadata.ts'
import { type PageEvidence, evidenceOf } from './evidence.ts'
import type { Field } from './field.ts'
import { nested } from './field-paths.ts'
import { FIELDS } from './fields.ts'
import { Page } from './page.ts'
import { type Refresh, refreshOf } from './refresh.ts'
import { sieve } from './sieve.ts'
import { toAsciiCompatible } from './transcode.ts'

export { describeFile } from './describe-file.ts'

/** A page as received: uncompressed, but not yet decoded to text. */
export interface HtmlSource {
  bytes: Uint8Array
  /** A WHATWG encoding name. */
  encoding: string
  /** The URL of the page after redirects. */
  url: URL
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
  const { harvest, body, endedWithHead } = sieve(bytes, 'page')
  const page = new Page(harvest, bytes, encoding, source.url)
  const { metadata, sources } = metadataOf(page)
  return {
    metadata,
    sources,
    evidence: evidenceOf(page, metadata, body, !endedWithHead),
    refresh: refreshOf(page, metadata, body),
  }
}

/**
 * Whether the download of a page may stop here: its head has ended and has an og:title, so extractHtml would read no
 * further. For ASCII-compatible encodings only.
 * @param bytes everything received so far
 */
export function isHeadComplete(bytes: Uint8Array): boolean {
  return sieve(bytes, 'head').endedWithHead
}

/** The fields that the page has, and the source of each, in the order of the table. */
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
