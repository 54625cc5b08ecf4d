import type { Metadata } from '../metadata.ts'
import { type PageEvidence, evidenceOf } from './evidence.ts'
import type { Field } from './field.ts'
import { nested } from './field-paths.ts'
import { FIELDS } from './fields.ts'
import { Page } from './page.ts'
import { type Refresh, refreshOf } from './refresh.ts'
import { sieve } from './sieve.ts'
import { asciiCompatible } from './transcode.ts'

export { describeFile } from './describe-file.ts'

/** A page as it arrived: decoded of its content encoding, not yet of its character encoding. */
export interface HtmlSource {
  bytes: Uint8Array
  /** A WHATWG encoding name. */
  encoding: string
  /** The URL the page came from, after redirects. */
  url: URL
}

/** Where each value came from, by field: `title` → `og:title`, `meta.author` → `json-ld author`. */
export type Sources = Record<string, string>

/** What the page says of itself, and what the rules need to know of it. */
export interface Extraction {
  metadata: Metadata
  sources: Sources
  evidence: PageEvidence
  refresh: Refresh | null
}

/**
 * Reads a page's metadata. Never throws, whatever the bytes; takes time in proportion to their number.
 * docs/extraction.md says what comes from where.
 */
export function extractHtml(source: HtmlSource): Extraction {
  const { bytes, encoding } = asciiCompatible(source)
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
 * Whether a page that arrives bit by bit may be cut off here: its head has ended and holds an og:title, so extractHtml
 * would read no further. Asks only of bytes in an encoding that writes ASCII as ASCII.
 * @param bytes all that was read so far
 */
export function isHeadComplete(bytes: Uint8Array): boolean {
  return sieve(bytes, 'head').endedWithHead
}

/** The value of each field that the page has, and its source, in the order of the table. */
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

function firstAccepted({ accept, sources }: Field, page: Page): { value: string; label: string } | undefined {
  const accepts = accept(page)
  for (const { label, find } of sources) {
    const value = find(page, accepts)
    if (value !== undefined) return { value, label }
  }
  return undefined
}
