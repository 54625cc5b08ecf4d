import { decoderOf } from './text.ts'

/** Encodings in which the bytes of `<`, `>` or quotes can be part of other characters. */
const NOT_ASCII_COMPATIBLE = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/**
 * A page in an encoding whose ASCII bytes mean ASCII wherever they stand, as the tokenizer needs it. That holds for every
 * WHATWG encoding but three, which are rewritten as UTF-8. In Shift_JIS, Big5, EUC-KR and GBK the second byte of
 * a character can be a letter or a bracket, but is 0x40 or above, and in four-byte GB18030 it can be a digit: never one of
 * `<>"'=&/` or white space.
 */
export function asciiCompatible(page: { bytes: Uint8Array; encoding: string }): { bytes: Uint8Array; encoding: string } {
  const encoding = page.encoding.toLowerCase()
  if (!NOT_ASCII_COMPATIBLE.has(encoding)) return { bytes: page.bytes, encoding }
  return { bytes: new TextEncoder().encode(decoderOf(encoding).decode(page.bytes)), encoding: 'utf-8' }
}
