import { BANG, asciiBytes, GREATER, HYPHEN, RIGHT_BRACKET } from './ascii.ts'

const CDATA_START = asciiBytes('[CDATA[')
export const CDATA_START_BYTES = CDATA_START.length

/** Whether a CDATA section starts here, after its `<!`. */
export function startsCdata(bytes: Uint8Array, at: number): boolean {
  return CDATA_START.every((code, i) => bytes[at + i] === code)
}

/**
 * The end of a declaration that starts with `<!`: a comment if two hyphens follow, or else a doctype or a bogus
 * comment. -1 when it does not end.
 * @param searched the position up to which an earlier call has searched
 */
export function declarationEnd(bytes: Uint8Array, from: number, searched: number): number {
  if (bytes[from] !== HYPHEN || bytes[from + 1] !== HYPHEN) return bogusCommentEnd(bytes, from, searched)
  const text = from + 2
  if (bytes[text] === GREATER) return text + 1
  if (bytes[text] === HYPHEN && bytes[text + 1] === GREATER) return text + 2
  for (let at = Math.max(text + 2, searched); at < bytes.length; at++) {
    if (bytes[at] !== GREATER) continue
    if (bytes[at - 1] === HYPHEN && bytes[at - 2] === HYPHEN) return at + 1
    const bang = bytes[at - 1] === BANG && at - 3 >= text
    if (bang && bytes[at - 2] === HYPHEN && bytes[at - 3] === HYPHEN) return at + 1
  }
  return -1
}

/** The position after the next `>`; -1 when there is none. */
export function bogusCommentEnd(bytes: Uint8Array, from: number, searched: number): number {
  const end = bytes.indexOf(GREATER, Math.max(from, searched))
  return end < 0 ? -1 : end + 1
}

/** The position after a CDATA section; -1 when it does not end. */
export function cdataEnd(bytes: Uint8Array, from: number, searched: number): number {
  for (let at = Math.max(from + 2, searched); at < bytes.length; at++) {
    if (bytes[at] === GREATER && bytes[at - 1] === RIGHT_BRACKET && bytes[at - 2] === RIGHT_BRACKET) return at + 1
  }
  return -1
}
