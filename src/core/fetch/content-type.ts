/** The kind of a response body, from its Content-Type and its first bytes (WHATWG MIME Sniffing). */
export type ContentKind = 'html' | 'image' | 'other' | 'empty'

export interface ContentType {
  kind: ContentKind
  /** MIME type in lower case without parameters; '' when it is unknown. */
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

/** https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and AVIF, which is not in it yet. */
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

/** Signatures that HTML never begins with. They override a header that declares HTML. */
const UNAMBIGUOUS_IMAGES = IMAGES.filter(({ mayBeText }) => !mayBeText)
const UNAMBIGUOUS_FILES = FILES.filter(({ mayBeText }) => !mayBeText)

/** https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */
const HTML_TAGS = '!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link'
const HTML_START = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!--|(?:${HTML_TAGS})[\\t\\n\\f\\r />])`, 'i')
const XML_START = /^[\t\n\f\r ]*<\?xml/
const SVG_START = /^[\t\n\f\r ]*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*|<!doctype svg[^>]*>\s*)*<svg[\s>]/i

/** A control character that does not occur in text: a "binary data byte" of the standard. */
const BINARY_BYTE = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Types that servers send when they do not know the type. As in the standard, the bytes decide then. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['', 'unknown/unknown', 'application/unknown', '*/*'])

/** The essence of a Content-Type header: the type without parameters; '' when there is none. */
export function mimeTypeOf(header: string): string {
  const essence = header.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[^\s/,]+\/[^\s/,]+$/.test(essence) ? essence : ''
}

/**
 * The type of a response, from its Content-Type and first bytes; null while there are too few bytes. They decide if
 * there is no header, if it declares HTML and they are another format, or if it declares an image and they are HTML.
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
    const isPage = declared !== 'image/svg+xml' && HTML_START.test(start)
    return isPage ? { kind: 'html', mimeType: 'text/html' } : { kind: 'image', mimeType: declared }
  }
  return { kind: 'other', mimeType: declared }
}

function typeFromBytes(bytes: Uint8Array, start: string): ContentType {
  const image = imageTypeOf(bytes) ?? (SVG_START.test(start) ? 'image/svg+xml' : null)
  if (image !== null) return { kind: 'image', mimeType: image }
  if (HTML_START.test(start)) return { kind: 'html', mimeType: 'text/html' }
  if (XML_START.test(start)) return { kind: 'html', mimeType: 'text/xml' }
  const isUtf16 = /^(?:\xfe\xff|\xff\xfe)/.test(start)
  const text = isUtf16 || !BINARY_BYTE.test(start) ? 'text/plain' : 'application/octet-stream'
  return { kind: 'other', mimeType: matching(FILES, bytes) ?? text }
}

/** HTML, XHTML and XML feeds, all of which are parsed as HTML. */
function isMarkup(mimeType: string): boolean {
  const isXml = mimeType === 'text/xml' || mimeType === 'application/xml' || mimeType.endsWith('+xml')
  return mimeType === 'text/html' || (isXml && !mimeType.startsWith('image/'))
}

/** The image type with the signature of `bytes`, or null. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return matching(IMAGES, bytes)
}

function matching(signatures: readonly Signature[], bytes: Uint8Array): string | null {
  const match = signatures.find(({ pattern }) => pattern.every((byte, i) => byte === null || bytes[i] === byte))
  return match?.mimeType ?? null
}
