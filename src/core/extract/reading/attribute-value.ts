import { APOSTROPHE, ENDS_ATTRIBUTE_NAME, ENDS_VALUE, EQUALS, IS_SPACE, QUOTE } from './ascii.ts'
import type { Range } from './range.ts'

/** Values up to this length are searched byte by byte, which is faster than calling the native search. */
const SHORT_VALUE = 40

/** The position of the closing quote of the value whose opening quote is at `at`. */
export function quotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  const quote = bytes[at]!
  const near = Math.min(length, at + SHORT_VALUE)
  let end = at + 1
  while (end < near && bytes[end] !== quote) end++
  if (end < near || near === length) return end
  end = bytes.indexOf(quote, near)
  return end < 0 ? length : end
}

/** Slashes and quotes are part of an unquoted value. */
export function unquotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  let end = at
  while (end < length && ENDS_VALUE[bytes[end]!] === 0) end++
  return end
}

const isQuote = (byte: number) => byte === QUOTE || byte === APOSTROPHE
const isInName = (byte: number) => ENDS_ATTRIBUTE_NAME[byte] === 0 && !isQuote(byte)

/**
 * Whether a value ends at a quote that was meant to be part of it: `content="The "best" bread"`. Its rest is then names of
 * attributes with quotes; a quote alone is only superfluous. `end` is the end of the tag.
 */
export function isCutByQuote(bytes: Uint8Array, value: Range, end: number): boolean {
  if (!isQuote(bytes[value.end]!)) return false
  for (let at = value.end + 1; at < end; at++) {
    const byte = bytes[at]!
    if (isQuote(byte) && (isInName(bytes[at - 1]!) || isInName(bytes[at + 1]!))) return true
    if (byte !== EQUALS) continue
    while (IS_SPACE[bytes[at + 1]!] === 1) at++
    at = isQuote(bytes[at + 1]!) ? quotedEnd(bytes, at + 1) : unquotedEnd(bytes, at + 1)
  }
  return false
}
