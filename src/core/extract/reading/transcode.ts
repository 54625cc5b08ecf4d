import { decoderOf } from './text.ts'

/** Bytes of a page and the WHATWG name of their encoding. */
export interface EncodedPage {
  bytes: Uint8Array
  encoding: string
}

/** Encodings in which the bytes of `<`, `>` or quotes can be part of other characters. */
const NOT_ASCII_COMPATIBLE = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** Whether a page in this encoding must be converted to UTF-8 for the tokenizer. */
export function needsConversion(encoding: string): boolean {
  return NOT_ASCII_COMPATIBLE.has(encoding.toLowerCase())
}

/**
 * Converts a page for the tokenizer, which requires that the bytes of `<>"'=&/` and white space are never part of other
 * characters. Three WHATWG encodings do not meet this requirement and are converted to UTF-8. The other encodings do: the
 * second byte of a character is 0x40 or above in Shift_JIS, Big5, EUC-KR and GBK, and can also be a digit in GB18030.
 */
export function toAsciiCompatible(page: EncodedPage): EncodedPage {
  const encoding = page.encoding.toLowerCase()
  if (needsConversion(encoding)) {
    return { bytes: new TextEncoder().encode(decoderOf(encoding).decode(page.bytes)), encoding: 'utf-8' }
  }
  return { bytes: page.bytes, encoding }
}
