import type { Accept } from './accept.ts'
import type { Link } from './link.ts'
import type { Range } from './range.ts'
import type { TextReader } from './text.ts'

/** Side in CSS pixels of the slot that a favicon is chosen for: a tab on a screen of double density. */
const SLOT_PX = 32

/** Icons that are compared; a page with more is not in earnest. */
const MAX_ICONS = 100

/** Sizes that are read of one icon. */
const MAX_SIZES = 50

/** Characters at the end of an address in which a file name suffix is sought. */
const MAX_SUFFIX = 200

/** Sides come as `32x32`; more digits than this are no size. */
const SIZE = /^(\d{1,5})x(\d{1,5})$/i

/** Ranks: a side is added to LARGER and taken from SMALLER, so that the nearest comes first. SVG is 0. */
const EXACT = 1
const LARGER = 2
const UNKNOWN = 200_000
const SMALLER = 300_000
const DARK = 1_000_000

/**
 * The declared icon that fits the slot best: one that scales, then the exact size, then larger, then of unknown size, then
 * smaller ones; icons for a dark theme come last. The first wins ties.
 * Source: https://html.spec.whatwg.org/multipage/links.html#rel-icon
 */
export function bestIcon(links: readonly Link[], reader: TextReader, accept: Accept): string | undefined {
  const ranked = links
    .slice(0, MAX_ICONS)
    .map((link) => ({ link, rank: rankOf(reader, link) }))
    .toSorted((a, b) => a.rank - b.rank)
  for (const { link } of ranked) {
    const icon = accept(reader.attribute(link.href))
    if (icon !== undefined) return icon
  }
  return undefined
}

/** Lower is better. */
function rankOf(reader: TextReader, { sizes, type, media, href }: Link): number {
  const text = (range: Range | null) => (range === null ? '' : reader.attribute(range).toLowerCase())
  const isDark = text(media).includes('dark')
  const isSvg = text(type).includes('svg') || /\.svg(?:[?#]|$)/.test(text(href).slice(-MAX_SUFFIX))
  return (isDark ? DARK : 0) + (isSvg ? 0 : rankOfSizes(text(sizes)))
}

function rankOfSizes(sizes: string): number {
  const tokens = sizes.split(/\s+/).slice(0, MAX_SIZES)
  const sides = tokens.map((token) => SIZE.exec(token)).map((match) => (match === null ? NaN : Number(match[1])))
  const ranks = sides.filter((side) => side > 0).map(rankOfSide)
  if (tokens.includes('any')) ranks.push(EXACT)
  return ranks.length === 0 ? UNKNOWN : Math.min(...ranks)
}

function rankOfSide(side: number): number {
  if (side === SLOT_PX) return EXACT
  return side > SLOT_PX ? LARGER + side : SMALLER - side
}
