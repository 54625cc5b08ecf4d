/** The ASCII bytes that HTML syntax is made of. */
export const TAB = 0x09
export const LINE_FEED = 0x0a
export const FORM_FEED = 0x0c
export const RETURN = 0x0d
export const SPACE = 0x20
export const BANG = 0x21
export const QUOTE = 0x22
export const APOSTROPHE = 0x27
export const HYPHEN = 0x2d
export const SLASH = 0x2f
export const LESS = 0x3c
export const EQUALS = 0x3d
export const GREATER = 0x3e
export const QUESTION = 0x3f
export const RIGHT_BRACKET = 0x5d

/** By byte: 1 for white space, 2 for what else ends a name. A look-up is the cheapest question in the innermost loops. */
const CLASSES = new Uint8Array(256)
for (const byte of [SPACE, TAB, LINE_FEED, FORM_FEED, RETURN]) CLASSES[byte] = 1
for (const byte of [GREATER, SLASH]) CLASSES[byte] = 2

/** White space as the HTML standard means it; a carriage return is read as a line feed. */
export function isSpace(byte: number): boolean {
  return CLASSES[byte] === 1
}

export function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

export function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

/** What ends a tag or attribute name. */
export function endsName(byte: number): boolean {
  return CLASSES[byte] !== 0
}

/** The bytes of an ASCII name. */
export function codesOf(name: string): Uint8Array {
  return new TextEncoder().encode(name)
}

/** Whether the bytes at `start` are `codes` (in lower case) in any case. */
export function spells(bytes: Uint8Array, start: number, codes: Uint8Array): boolean {
  if (start + codes.length > bytes.length) return false
  for (let i = 0; i < codes.length; i++) if (lowerCase(bytes[start + i]!) !== codes[i]) return false
  return true
}
