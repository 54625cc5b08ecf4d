import { percentDecoded } from '../percent-decoded.ts'
import { parseWebUrl } from '../web-url.ts'
import { type Extraction, metadataOf } from './extract.ts'
import { FIELDS } from './fields/fields.ts'
import { fileSources, xmlFileValues } from './files/file-sources.ts'
import { jsonFeedValues } from './files/json-feed.ts'
import { pdfValues } from './files/pdf-values.ts'
import { Harvest } from './page/harvest.ts'
import { Page } from './page/page.ts'
import { PageReaders } from './page/page-readers.ts'
import { truncate } from './reading/text.ts'
import type { EncodedPage } from './reading/transcode.ts'

/** The longest file name on common file systems. */
const MAX_NAME_LENGTH = 255

/** The files that describe themselves, by their first character after white space and a byte-order mark. */
const READERS = new Map(Object.entries({ '<': xmlFileValues, '{': jsonFeedValues, '%': pdfValues }))

/** The start of a file that may describe itself; without bytes for other files. */
export interface ReceivedFile extends EncodedPage {
  url: URL
  kind: 'image' | 'other'
  /** The file name in the response, or ''. */
  fileName?: string | undefined
  /** The canonical URL in the Link header of the response. */
  canonical?: string | null | undefined
}

/**
 * Returns the metadata of a response that is not HTML: for an image its URL, and for any other file its name as the title,
 * unless a feed, an SVG document or a PDF says more about itself. Values are checked like those of pages.
 */
export function describeFile(file: ReceivedFile): Pick<Extraction, 'metadata' | 'sources'> {
  const { url, kind, bytes, encoding, fileName = '', canonical } = file
  const first = bytes.find((byte) => READERS.has(String.fromCharCode(byte))) ?? 0
  const read = READERS.get(String.fromCharCode(first))
  const values = new Map(read?.(file)).set('Link header canonical', canonical ?? '')
  if (kind === 'other') {
    values.set('content-disposition', truncate(fileName, MAX_NAME_LENGTH))
    // The last segment of the path; '' for a directory.
    const name = percentDecoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
    values.set('file name', truncate(name, MAX_NAME_LENGTH))
  }
  const page = new Page(new Harvest(), new PageReaders(bytes, encoding), url)
  page.baseUrl = parseWebUrl(values.get('xml:base') ?? '', url.href)?.href ?? url.href
  const fields = FIELDS.map((field) => ({ ...field, sources: fileSources(field.path, values) }))
  const { metadata, sources } = metadataOf(page, fields)
  if (kind === 'other') return { metadata, sources }
  return { metadata: { ...metadata, image: url.href.split('#', 1)[0]! }, sources: { ...sources, image: 'url' } }
}
