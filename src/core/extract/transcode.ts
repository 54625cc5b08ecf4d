import { decoderOf } from './text.ts'

/** Bytes of a page and the WHATWG name of their encoding. */
export interface EncodedPage {
  bytes: Uint8Array
  encoding: string
}

/** Encodings in which the bytes of `<`, `>` or quotes can be part of other characters. */
const NOT_ASCII_COMPATIBLE = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** Of UTF-8; not removed, it would count as text of the page. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * Converts a page for the tokenizer, which needs the bytes of its syntax to be never part of other characters. That is
 * true of every WHATWG encoding but three, which are converted to UTF-8. In Shift_JIS, Big5, EUC-KR and GBK the second
 * byte of a character can be a letter or a bracket, but is 0x40 or above, and in four-byte GB18030 it can be a digit:
 * never one of `<>"'=&/` or white space.
 */
export function toAsciiCompatible(page: EncodedPage): EncodedPage {
  const encoding = page.encoding.toLowerCase()
  if (NOT_ASCII_COMPATIBLE.has(encoding)) {
    return { bytes: new TextEncoder().encode(decoderOf(encoding).decode(page.bytes)), encoding: 'utf-8' }
  }
  const isMarked = encoding === 'utf-8' && BYTE_ORDER_MARK.every((byte, i) => page.bytes[i] === byte)
  return { bytes: isMarked ? page.bytes.subarray(BYTE_ORDER_MARK.length) : page.bytes, encoding }
}
