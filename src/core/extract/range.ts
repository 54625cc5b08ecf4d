import { IS_SPACE, spells } from './ascii.ts'

/** Where something lies in the page: `bytes[start, end)`. */
export interface Range {
  start: number
  end: number
}

/** The range without white space around it. */
export function trimmed(bytes: Uint8Array, { start, end }: Range): Range {
  while (start < end && IS_SPACE[bytes[start]!] === 1) start++
  while (end > start && IS_SPACE[bytes[end - 1]!] === 1) end--
  return { start, end }
}

/** Whether nothing but white space is there. */
export function isBlank(bytes: Uint8Array, range: Range): boolean {
  const { start, end } = trimmed(bytes, range)
  return start === end
}

/** Tokens that are read of one attribute: honest ones hold one or two. */
const MAX_TOKENS = 16

/** A set of space-separated tokens: https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#space-separated-tokens */
export function tokensOf(bytes: Uint8Array, { start, end }: Range): Range[] {
  const tokens: Range[] = []
  let at = start
  while (at < end && tokens.length < MAX_TOKENS) {
    while (at < end && IS_SPACE[bytes[at]!] === 1) at++
    const from = at
    while (at < end && IS_SPACE[bytes[at]!] === 0) at++
    if (at > from) tokens.push({ start: from, end: at })
  }
  return tokens
}

/** Whether the range holds exactly `codes` (in lower case), in any case and with white space around it. */
export function holds(bytes: Uint8Array, range: Range, codes: Uint8Array): boolean {
  const { start, end } = trimmed(bytes, range)
  return end - start === codes.length && spells(bytes, start, codes)
}
