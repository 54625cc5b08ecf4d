/** ASCII characters in the syntax of HTML and JSON. */
export const BANG = 0x21
export const QUOTE = 0x22
export const NUMBER_SIGN = 0x23
export const AMPERSAND = 0x26
export const APOSTROPHE = 0x27
export const COMMA = 0x2c
export const HYPHEN = 0x2d
export const SLASH = 0x2f
export const SEMICOLON = 0x3b
export const COLON = 0x3a
export const LESS = 0x3c
export const EQUALS = 0x3d
export const GREATER = 0x3e
export const QUESTION = 0x3f
export const LEFT_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const RIGHT_BRACKET = 0x5d
export const LEFT_BRACE = 0x7b
export const RIGHT_BRACE = 0x7d

/*
 * Character classes for the innermost loops, by byte: 1 for members. A table lookup is fast even before the code is
 * JIT-compiled, and a hostile page may be the first that a process parses.
 */

/** ASCII whitespace of the HTML Standard; a carriage return counts as a line feed. */
export const IS_SPACE = tableOf('\t\n\f\r ')
export const ENDS_TAG_NAME = tableOf('\t\n\f\r >/')
/** Ends an attribute name, except as its first byte. */
export const ENDS_ATTRIBUTE_NAME = tableOf('\t\n\f\r >/=')
/** Ends an unquoted value. */
export const ENDS_VALUE = tableOf('\t\n\f\r >')

const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte))

function tableOf(members: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of asciiBytes(members)) table[byte] = 1
  return table
}

export function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

export function asciiBytes(name: string): Uint8Array {
  return new TextEncoder().encode(name)
}

/** Whether the bytes at `start` equal `codes`, ignoring case; `codes` is in lower case. */
export function matchesIgnoringCase(bytes: Uint8Array, start: number, codes: Uint8Array): boolean {
  const { length } = codes
  if (start + length > bytes.length) return false
  for (let i = 0; i < length; i++) if (LOWER_CASE[bytes[start + i]!] !== codes[i]) return false
  return true
}
