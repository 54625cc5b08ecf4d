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
export function splitTokens(bytes: Uint8Array, range: Range): Range[] {
  const tokens: Range[] = []
  someToken(bytes, range, (start, end) => tokens.push({ start, end }) === 0)
  return tokens
}

/** Whether `test` returns true for one of the tokens of `splitTokens`. Creates no objects. */
export function someToken(
  bytes: Uint8Array,
  { start, end }: Range,
  test: (start: number, end: number) => boolean,
): boolean {
  let at = start
  for (let tokens = 0; tokens < MAX_TOKENS; tokens++) {
    while (at < end && IS_SPACE[bytes[at]!] === 1) at++
    const from = at
    while (at < end && IS_SPACE[bytes[at]!] === 0) at++
    if (at === from) return false
    if (test(from, at)) return true
  }
  return false
}

/** Whether the trimmed range equals `codes`, ignoring case; `codes` is in lower case. */
export function equalsIgnoringCase(bytes: Uint8Array, range: Range, codes: Uint8Array): boolean {
  const { start, end } = trimRange(bytes, range)
  return end - start === codes.length && matchesIgnoringCase(bytes, start, codes)
}
