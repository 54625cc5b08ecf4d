import sniffEncoding from 'html-encoding-sniffer'

import { attempt } from '../../attempt.ts'

/** The encoding of a page, and where it was found. */
export interface Charset {
  /** A name from the WHATWG Encoding Standard, as `TextDecoder` takes it. */
  encoding: string
  from: 'mark' | 'header' | 'meta' | 'valid utf-8' | 'late meta' | 'fallback'
}

export interface CharsetEvidence {
  bytes: Uint8Array
  /** The Content-Type header, or ''. */
  contentType: string
  /** Whether `bytes` is the whole page; a truncated page may end inside a character. */
  isWhole: boolean
}

/** The WHATWG prescan covers this many bytes; declarations after them are late. */
const PRESCAN_BYTES = 1_024

/** Late declarations are searched for in this many bytes, which takes at most 20 ms and finds nearly all of them. */
const MAX_SCANNED_BYTES = 32_768

/** Legacy encodings in which every byte is a character, so that any page can be decoded with them. */
const SINGLE_BYTE = /^(?:windows-(?:125\d|874)|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/

/** Fewer two-byte characters than this may be a coincidence in text of a legacy encoding. */
const MIN_TWO_BYTE_CHARACTERS = 8

/**
 * Determines the encoding from, in this order: the byte-order mark, Content-Type, the WHATWG prescan, UTF-8 if the
 * bytes are valid, a late `<meta>`, windows-1252. Text in legacy encodings is hardly ever valid UTF-8 by chance, so
 * valid UTF-8 takes precedence over a late declaration, and over a single-byte encoding in Content-Type, which
 * servers add to all pages (Apache's AddDefaultCharset). `undeclaredEncoding` can find a better fallback in the text.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export function sniffCharset({ bytes, contentType, isWhole }: CharsetEvidence): Charset {
  const marked = markedEncoding(bytes)
  if (marked !== null) return { encoding: marked, from: 'mark' }
  const named = knownEncoding(charsetParameter(contentType))
  if (named !== null && !(SINGLE_BYTE.test(named) && isClearlyUtf8(bytes, isWhole))) {
    return { encoding: named, from: 'header' }
  }
  const prescanned = declaredEncoding(bytes, PRESCAN_BYTES)
  if (prescanned !== null) return { encoding: prescanned, from: 'meta' }
  if (isUtf8(bytes, isWhole)) return { encoding: 'utf-8', from: 'valid utf-8' }
  const declared = declaredEncoding(bytes, MAX_SCANNED_BYTES)
  if (declared !== null) return { encoding: declared, from: 'late meta' }
  return { encoding: 'windows-1252', from: 'fallback' }
}

/** The encoding that a byte-order mark declares, or null: https://encoding.spec.whatwg.org/#bom-sniff */
export function markedEncoding({ 0: first, 1: second, 2: third }: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return null
}

/** https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
function declaredEncoding(bytes: Uint8Array, maxPrescanBytes: number): string | null {
  // Truncated: the library searches all bytes for the end of an XML declaration.
  const start = bytes.subarray(0, maxPrescanBytes)
  return knownEncoding(sniffEncoding(start, { defaultEncoding: null, maxPrescanBytes }))
}

/** The first charset parameter of a Content-Type, or ''. Servers use both kinds of quotes. */
export function charsetParameter(contentType: string): string {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? ''
}

/**
 * The name of a label's encoding, or null for an unknown label. Labels of the standard's `replacement` encoding count
 * as unknown (`TextDecoder` rejects them), because `replacement` decodes a whole page to one U+FFFD.
 */
function knownEncoding(label: string | null): string | null {
  if (!label) return null
  // Most pages use this label; comparing it is faster than creating a decoder.
  if (label.toLowerCase() === 'utf-8') return 'utf-8'
  return attempt(() => new TextDecoder(label as Bun.Encoding).encoding) ?? null
}

function isUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return attempt(() => decoder.decode(bytes, { stream: !isWhole })) !== undefined
}

/** Whether bytes are valid UTF-8 with a character of three bytes or several of two bytes. */
function isClearlyUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  let twoByteCharacters = 0
  for (const byte of bytes) {
    if (byte >= 0xc2 && byte < 0xe0) twoByteCharacters++
    if (byte >= 0xe0 || twoByteCharacters === MIN_TWO_BYTE_CHARACTERS) return isUtf8(bytes, isWhole)
  }
  return false
}
