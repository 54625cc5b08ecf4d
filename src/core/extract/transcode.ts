import { decoderOf } from './text.ts'

/** Bytes of a page and the WHATWG name of their encoding. */
export interface EncodedPage {
  bytes: Uint8Array
  encoding: string
}

/** Encodings in which the bytes of `<`, `>` or quotes can be part of other characters. */
const NOT_ASCII_COMPATIBLE = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** The byte-order mark of UTF-8. It is removed, because it would count as text. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * Converts a page for the tokenizer, which requires that the bytes of `<>"'=&/` and white space are never part of other
 * characters. All WHATWG encodings except three meet this requirement; those three are converted to UTF-8. In
 * Shift_JIS, Big5, EUC-KR and GBK the second byte of a character is 0x40 or above, and in four-byte GB18030 it can also
 * be a digit.
 */
export function toAsciiCompatible(page: EncodedPage): EncodedPage {
  const encoding = page.encoding.toLowerCase()
  if (NOT_ASCII_COMPATIBLE.has(encoding)) {
    return { bytes: new TextEncoder().encode(decoderOf(encoding).decode(page.bytes)), encoding: 'utf-8' }
  }
  const hasMark = encoding === 'utf-8' && BYTE_ORDER_MARK.every((byte, i) => page.bytes[i] === byte)
  return { bytes: hasMark ? page.bytes.subarray(BYTE_ORDER_MARK.length) : page.bytes, encoding }
}
