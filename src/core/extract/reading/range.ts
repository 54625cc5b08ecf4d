import { IS_SPACE, matchesIgnoringCase } from './ascii.ts'

/** A range of the page's bytes: `bytes[start, end)`. */
export interface Range {
  start: number
  end: number
}

export function trimRange(bytes: Uint8Array, { start, end }: Range): Range {
  while (start < end && IS_SPACE[bytes[start]!] === 1) start++
  while (end > start && IS_SPACE[bytes[end - 1]!] === 1) end--
  return { start, end }
}

export function isBlank(bytes: Uint8Array, range: Range): boolean {
  const { start, end } = trimRange(bytes, range)
  return start === end
}

/** The maximum number of tokens to read from one attribute. Real attributes have one or two. */
const MAX_TOKENS = 16

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#space-separated-tokens */
export function splitTokens(bytes: Uint8Array, { start, end }: Range): Range[] {
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

/** Whether one of the space-separated tokens equals `token`, ignoring case; `token` is in lower case. */
export function hasToken(bytes: Uint8Array, range: Range, token: Uint8Array): boolean {
  return splitTokens(bytes, range).some((one) => equalsIgnoringCase(bytes, one, token))
}

/** Whether the trimmed range equals `codes`, ignoring case; `codes` is in lower case. */
export function equalsIgnoringCase(bytes: Uint8Array, range: Range, codes: Uint8Array): boolean {
  const { start, end } = trimRange(bytes, range)
  return end - start === codes.length && matchesIgnoringCase(bytes, start, codes)
}
