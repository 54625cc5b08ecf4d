import { asciiBytes, DOT, HASH, LOWER_X, matchesIgnoringCase, NINE, QUESTION, UPPER_X, ZERO } from './ascii.ts'
import type { Normalize } from './normalize.ts'
import type { Link } from './link-element.ts'
import { containsIgnoringCase, hasToken, type Range, splitTokens } from './range.ts'
import type { TextReader } from './text.ts'

/** The size in pixels for which a favicon is chosen: a browser tab on a high-density screen. */
const TARGET_PX = 32

/** The maximum number of icons to compare. Real pages have one or two dozen. */
const MAX_ICONS = 100

/** The maximum number of bytes at the end of a URL to search for `.svg`. */
const MAX_SUFFIX_BYTES = 200

/** The maximum number of digits of a size. */
const MAX_DIGITS = 5

const SVG = asciiBytes('svg')
const DARK_THEME = asciiBytes('dark')
const ANY_SIZE = asciiBytes('any')

/**
 * Ranks; lower is better, and SVG is 0. The size is added to LARGER and subtracted from SMALLER, so the nearest wins.
 */
const EXACT = 1
const LARGER = 2
const UNKNOWN = 200_000
const SMALLER = 300_000
const DARK = 1_000_000

/**
 * The best icon: svg, then the exact size, then larger, then unknown, then smaller sizes; icons for a dark
 * theme come last. The first wins ties.
 * Source: https://html.spec.whatwg.org/multipage/links.html#rel-icon
 */
export function bestIcon(links: readonly Link[], reader: TextReader, normalize: Normalize): string | undefined {
  if (links.length === 1) return normalize(reader.attribute(links[0]!.href))
  const ranked = links
    .slice(0, MAX_ICONS)
    .map((link) => ({ link, rank: rankOf(reader.bytes, link) }))
    .toSorted((a, b) => a.rank - b.rank)
  for (const { link } of ranked) {
    const icon = normalize(reader.attribute(link.href))
    if (icon !== undefined) return icon
  }
  return undefined
}

/** Lower is better. The attributes are not decoded, because character references do not occur in these values. */
function rankOf(bytes: Uint8Array, { sizes, type, media, href }: Link): number {
  const theme = media !== null && containsIgnoringCase(bytes, media, DARK_THEME) ? DARK : 0
  if (type !== null && containsIgnoringCase(bytes, type, SVG)) return theme
  if (endsInSvg(bytes, href)) return theme
  return theme + (sizes === null ? UNKNOWN : rankOfSizes(bytes, sizes))
}

/** The rank of the best size in a list such as `16x16 32x32`. */
function rankOfSizes(bytes: Uint8Array, sizes: Range): number {
  let best = hasToken(bytes, sizes, ANY_SIZE) ? EXACT : Infinity
  for (const { start, end } of splitTokens(bytes, sizes)) {
    const side = widthOf(bytes, start, end)
    if (side > 0) best = Math.min(best, rankOfSide(side))
  }
  return best === Infinity ? UNKNOWN : best
}

/** The width of a size such as `32x32`; 0 if it does not start like one. */
function widthOf(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + MAX_DIGITS + 1)
  let width = 0
  for (let at = start; at < last; at++) {
    const byte = bytes[at]!
    if (byte === UPPER_X || byte === LOWER_X) return width
    if (byte < ZERO || byte > NINE) return 0
    width = width * 10 + byte - ZERO
  }
  return 0
}

function rankOfSide(side: number): number {
  if (side === TARGET_PX) return EXACT
  return side > TARGET_PX ? LARGER + side : SMALLER - side
}

/** Whether the path of a URL ends in `.svg`, or a part of it before `?` or `#`. */
function endsInSvg(bytes: Uint8Array, { start, end }: Range): boolean {
  for (let at = Math.max(start, end - MAX_SUFFIX_BYTES); at < end; at++) {
    if (bytes[at] !== DOT || !matchesIgnoringCase(bytes, at + 1, SVG)) continue
    const after = at + 1 + SVG.length
    if (after === end || bytes[after] === QUESTION || bytes[after] === HASH) return true
  }
  return false
}
