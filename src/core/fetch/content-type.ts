import { charsetParameter } from '../extract/reading/charset.ts'
import { Tokenizer } from '../extract/reading/tokenizer.ts'
import { wordSet } from '../word-set.ts'
import type { HeaderFields } from '../net/header-fields.ts'
import { FILES, imageTypeOf, matching, UNAMBIGUOUS_FILES, UNAMBIGUOUS_IMAGES } from './signatures.ts'

/** The type of an image that is a document: it may have a title, and scripts. */
export const SVG_TYPE = 'image/svg+xml'

/** The types of files that are read for what they say about themselves. XML that is not a page is one of them. */
const XML_TYPE = 'application/xml'
const JSON_FEED_TYPE = 'application/feed+json'

/**
 * The number of bytes to read of these files. A feed may have a thousand categories before its title (Blogger). A PDF has
 * its title in its first or its last object, so that a small one is read to its end. Of other responses, up to 128 KB are
 * read and discarded to keep their connection.
 */
export const READ_BYTES: ReadonlyMap<string, number> = new Map([
  [SVG_TYPE, 16_384],
  [XML_TYPE, 131_072],
  [JSON_FEED_TYPE, 65_536],
  ['application/pdf', 65_536],
])

/** Decided from the Content-Type and the first bytes of a response (WHATWG MIME Sniffing). */
export type ContentKind = 'html' | 'image' | 'other' | 'empty'

export interface ContentType {
  kind: ContentKind
  /** In lower case without parameters; '' if it is unknown. */
  mimeType: string
}

/** The maximum number of bytes to read before the type is decided. The standard uses 1,445. */
export const SNIFF_BYTES = 4_096

/** Enough for the longest signature. */
const ENOUGH_BYTES = 64

const LATIN1 = new TextDecoder('latin1')

/**
 * Tags by which HTML is recognized. https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
 */
const HTML_TAGS = '!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link'
const HTML_START = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!--|(?:${HTML_TAGS})[\\t\\n\\f\\r />])`, 'i')
/** XML, with or without a declaration. */
const XML_START = /^[\t\n\f\r ]*<(?:\?xml|(?:rss|feed|rdf:rdf)[\t\n\f\r >])/i
const SVG_START = /^[\t\n\f\r ]*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*|<!doctype svg[^>]*>\s*)*<svg[\s>]/i

/** Root elements of feeds and of lists for crawlers, also in documents that are declared as HTML. */
const FILE_ROOTS = wordSet('rss rdf feed opml urlset sitemapindex')

/** In other XML documents, what browsers show as a page: elements of XHTML, or what a style sheet makes of the document. */
const PAGE_IN_XML = /<\?xml-stylesheet|www\.w3\.org\/1999\/xhtml/

/** https://mimesniff.spec.whatwg.org/#json-mime-type */
const JSON_TYPE = /^(?:application|text)\/json$|\+json$/

/** The version of a JSON Feed, which is required: https://www.jsonfeed.org/version/1.1/ */
const JSON_FEED = /jsonfeed\.org\\?\/version/

/** A control character that does not occur in text: a "binary data byte" of the standard. */
const BINARY_BYTE = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** One type of a list. Quoted text may contain commas. */
const LISTED_TYPE = /(?:"(?:[^"\\]|\\.)*"?|[^,"])+/g

/** Types that servers send when they do not know the type. As in the standard, the bytes then decide. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['', 'unknown/unknown', 'application/unknown', '*/*'])

/**
 * Returns the content type of a response, or '' if it has none. If there are several, in one or more fields, the last valid
 * one is used; without a charset, it gets the charset of the previous one if that is the same type.
 * https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
 */
export function contentTypeOf(fields: HeaderFields): string {
  let type = ''
  for (const listed of (fields.get('content-type') ?? []).flatMap((value) => value.match(LISTED_TYPE) ?? [])) {
    const essence = mimeTypeOf(listed)
    if (essence === '' || essence === '*/*') continue
    const inherited = essence === mimeTypeOf(type) ? charsetParameter(type) : ''
    const isComplete = inherited === '' || charsetParameter(listed) !== ''
    type = isComplete ? listed.trim() : `${listed.trim()};charset=${inherited}`
  }
  return type
}

/** The essence of a Content-Type header: the type without parameters; '' if there is no type. */
export function mimeTypeOf(header: string): string {
  const essence = /^\s*([^\s;(]*)/.exec(header)![1]!.toLowerCase()
  return /^[^\s/,]+\/[^\s/,]+$/.test(essence) ? essence : ''
}

/**
 * The type of a response, from its Content-Type and first bytes; null while there are too few bytes. The bytes decide
 * if there is no header, if the header declares HTML and the bytes are another format, or if the header declares an
 * image and the bytes are HTML. XML is a page if browsers show it as one.
 */
export function sniffContent(header: string, bytes: Uint8Array, isWhole: boolean): ContentType | null {
  const declared = mimeTypeOf(header)
  if (bytes.length === 0) return isWhole ? { kind: 'empty', mimeType: declared } : null
  const start = LATIN1.decode(bytes.subarray(0, SNIFF_BYTES)).replace(/^\xef\xbb\xbf/, '')
  const enough = isXmlType(declared) || XML_START.test(start) ? SNIFF_BYTES : ENOUGH_BYTES
  const isEnough = isWhole || start.trimStart().length >= enough || bytes.length >= SNIFF_BYTES
  return isEnough ? typeOf(declared, bytes, start) : null
}

function typeOf(declared: string, bytes: Uint8Array, start: string): ContentType {
  if (UNKNOWN_TYPES.has(declared)) return typeFromBytes(bytes, start)
  if (isMarkup(declared)) {
    const image = matching(UNAMBIGUOUS_IMAGES, bytes)
    const mimeType = image ?? matching(UNAMBIGUOUS_FILES, bytes)
    if (mimeType === null) return typeOfMarkup(declared, bytes, start)
    return { kind: image === null ? 'other' : 'image', mimeType }
  }
  if (declared.startsWith('image/')) {
    const isPage = declared !== SVG_TYPE && HTML_START.test(start)
    return isPage ? { kind: 'html', mimeType: 'text/html' } : { kind: 'image', mimeType: declared }
  }
  return { kind: 'other', mimeType: JSON_TYPE.test(declared) && JSON_FEED.test(start) ? JSON_FEED_TYPE : declared }
}

function typeOfMarkup(declared: string, bytes: Uint8Array, start: string): ContentType {
  const isXmlDocument = isXmlType(declared)
  const root = isXmlDocument || XML_START.test(start) ? rootOf(bytes) : ''
  if (isXmlDocument && root === 'svg') return { kind: 'image', mimeType: SVG_TYPE }
  const isFile = isXmlDocument && root !== '' && root !== 'html' && !PAGE_IN_XML.test(start)
  return isFile || FILE_ROOTS.has(root) ? { kind: 'other', mimeType: XML_TYPE } : { kind: 'html', mimeType: declared }
}

/** The name of the first element in lower case, without its prefix; '' if it is not in the first bytes. */
function rootOf(bytes: Uint8Array): string {
  // Without zero bytes, UTF-16 can be read as well.
  const tokenizer = new Tokenizer(bytes.subarray(0, SNIFF_BYTES).filter((byte) => byte !== 0))
  while (tokenizer.next() === 'text');
  // Known even if the rest of the tag is missing.
  return tokenizer.name.slice(tokenizer.name.indexOf(':') + 1)
}

function typeFromBytes(bytes: Uint8Array, start: string): ContentType {
  const image = imageTypeOf(bytes) ?? (SVG_START.test(start) ? SVG_TYPE : null)
  if (image !== null) return { kind: 'image', mimeType: image }
  if (HTML_START.test(start)) return { kind: 'html', mimeType: 'text/html' }
  if (XML_START.test(start)) return typeOfMarkup('text/xml', bytes, start)
  const isUtf16 = /^(?:\xfe\xff|\xff\xfe)/.test(start)
  const text = isUtf16 || !BINARY_BYTE.test(start) ? 'text/plain' : 'application/octet-stream'
  return { kind: 'other', mimeType: matching(FILES, bytes) ?? text }
}

/** HTML and XML. */
function isMarkup(mimeType: string): boolean {
  return mimeType === 'text/html' || (isXmlType(mimeType) && !mimeType.startsWith('image/'))
}

/** Whether a Content-Type header declares XML. */
export function isXml(header: string): boolean {
  return isXmlType(mimeTypeOf(header))
}

/** https://mimesniff.spec.whatwg.org/#xml-mime-type */
function isXmlType(mimeType: string): boolean {
  return mimeType === 'text/xml' || mimeType === 'application/xml' || mimeType.endsWith('+xml')
}
