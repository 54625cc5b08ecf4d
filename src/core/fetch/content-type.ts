import { charsetParameter } from '../extract/reading/charset.ts'
import type { HeaderFields } from '../net/header-fields.ts'

/** The type of an image that is a document: it may have a title, and scripts. */
export const SVG_TYPE = 'image/svg+xml'

/** Decided from the Content-Type and the first bytes of a response (WHATWG MIME Sniffing). */
export type ContentKind = 'html' | 'image' | 'other' | 'empty'

export interface ContentType {
  kind: ContentKind
  /** In lower case without parameters; '' if it is unknown. */
  mimeType: string
}

/** The maximum number of bytes to read before the type is decided. The standard uses 1,445. */
export const SNIFF_BYTES = 4_096

/** Enough for the longest signature below. */
const ENOUGH_BYTES = 64

const LATIN1 = new TextDecoder('latin1')

/** The first bytes of a file format; `null` matches any byte. */
interface Signature {
  mimeType: string
  pattern: readonly (number | null)[]
  /** Whether text may also begin with these bytes, such as `BMW` or `ID3 tags`. */
  mayBeText?: boolean
}

const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0))

/**
 * https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and AVIF, which the standard does not include yet.
 */
const IMAGES: readonly Signature[] = [
  { mimeType: 'image/x-icon', pattern: [0x00, 0x00, 0x01, 0x00] },
  { mimeType: 'image/x-icon', pattern: [0x00, 0x00, 0x02, 0x00] },
  { mimeType: 'image/bmp', pattern: ascii('BM'), mayBeText: true },
  { mimeType: 'image/gif', pattern: ascii('GIF87a') },
  { mimeType: 'image/gif', pattern: ascii('GIF89a') },
  { mimeType: 'image/webp', pattern: [...ascii('RIFF'), null, null, null, null, ...ascii('WEBPVP')] },
  { mimeType: 'image/png', pattern: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] },
  { mimeType: 'image/jpeg', pattern: [0xff, 0xd8, 0xff] },
  { mimeType: 'image/avif', pattern: [0x00, null, null, null, ...ascii('ftypavif')] },
]

/** The standard's other signatures. An MP4 file begins with its size in four bytes, the first of which is zero. */
const FILES: readonly Signature[] = [
  { mimeType: 'application/pdf', pattern: ascii('%PDF-') },
  { mimeType: 'application/postscript', pattern: ascii('%!PS-Adobe-') },
  { mimeType: 'application/zip', pattern: ascii('PK\x03\x04') },
  { mimeType: 'application/gzip', pattern: [0x1f, 0x8b, 0x08] },
  { mimeType: 'application/x-rar-compressed', pattern: ascii('Rar!\x1a\x07') },
  { mimeType: 'video/mp4', pattern: [0x00, null, null, null, ...ascii('ftyp')] },
  { mimeType: 'video/webm', pattern: [0x1a, 0x45, 0xdf, 0xa3] },
  { mimeType: 'application/ogg', pattern: ascii('OggS\x00') },
  { mimeType: 'audio/mpeg', pattern: ascii('ID3'), mayBeText: true },
  { mimeType: 'audio/wave', pattern: [...ascii('RIFF'), null, null, null, null, ...ascii('WAVE')] },
  { mimeType: 'font/woff', pattern: ascii('wOFF'), mayBeText: true },
  { mimeType: 'font/woff2', pattern: ascii('wOF2'), mayBeText: true },
]

/** HTML never begins with these signatures. They override a header that declares HTML. */
const UNAMBIGUOUS_IMAGES = IMAGES.filter(({ mayBeText }) => !mayBeText)
const UNAMBIGUOUS_FILES = FILES.filter(({ mayBeText }) => !mayBeText)

/**
 * Tags by which HTML is recognized. https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
 */
const HTML_TAGS = '!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link'
const HTML_START = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!--|(?:${HTML_TAGS})[\\t\\n\\f\\r />])`, 'i')
const XML_START = /^[\t\n\f\r ]*<\?xml/
const SVG_START = /^[\t\n\f\r ]*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*|<!doctype svg[^>]*>\s*)*<svg[\s>]/i

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
 * image and the bytes are HTML.
 */
export function sniffContent(header: string, bytes: Uint8Array, isWhole: boolean): ContentType | null {
  const declared = mimeTypeOf(header)
  if (bytes.length === 0) return isWhole ? { kind: 'empty', mimeType: declared } : null
  const start = LATIN1.decode(bytes.subarray(0, SNIFF_BYTES)).replace(/^\xef\xbb\xbf/, '')
  const isEnough = isWhole || start.trimStart().length >= ENOUGH_BYTES || bytes.length >= SNIFF_BYTES
  return isEnough ? typeOf(declared, bytes, start) : null
}

function typeOf(declared: string, bytes: Uint8Array, start: string): ContentType {
  if (UNKNOWN_TYPES.has(declared)) return typeFromBytes(bytes, start)
  if (isMarkup(declared)) {
    const image = matching(UNAMBIGUOUS_IMAGES, bytes)
    const mimeType = image ?? matching(UNAMBIGUOUS_FILES, bytes)
    if (mimeType === null) return { kind: 'html', mimeType: declared }
    return { kind: image === null ? 'other' : 'image', mimeType }
  }
  if (declared.startsWith('image/')) {
    const isPage = declared !== SVG_TYPE && HTML_START.test(start)
    return isPage ? { kind: 'html', mimeType: 'text/html' } : { kind: 'image', mimeType: declared }
  }
  return { kind: 'other', mimeType: declared }
}

function typeFromBytes(bytes: Uint8Array, start: string): ContentType {
  const image = imageTypeOf(bytes) ?? (SVG_START.test(start) ? SVG_TYPE : null)
  if (image !== null) return { kind: 'image', mimeType: image }
  if (HTML_START.test(start)) return { kind: 'html', mimeType: 'text/html' }
  if (XML_START.test(start)) return { kind: 'html', mimeType: 'text/xml' }
  const isUtf16 = /^(?:\xfe\xff|\xff\xfe)/.test(start)
  const text = isUtf16 || !BINARY_BYTE.test(start) ? 'text/plain' : 'application/octet-stream'
  return { kind: 'other', mimeType: matching(FILES, bytes) ?? text }
}

/** HTML, XHTML and XML feeds, all of which are parsed as HTML. */
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

/** The image type whose signature `bytes` begin with; null if there is none. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return matching(IMAGES, bytes)
}

function matching(signatures: readonly Signature[], bytes: Uint8Array): string | null {
  const match = signatures.find(({ pattern }) => pattern.every((byte, i) => byte === null || bytes[i] === byte))
  return match?.mimeType ?? null
}
