import { firstOf } from '../../first-of.ts'
import type { Normalize } from '../reading/normalize.ts'
import type { Link } from './harvest.ts'
import type { Range } from '../reading/range.ts'
import type { TextReader } from '../reading/text.ts'

/** The size in pixels for which a favicon is chosen: a browser tab on a high-density screen. */
const TARGET_PX = 32

/** The maximum number of icons to compare. Real pages have one or two dozen. */
const MAX_ICONS = 100

const MAX_SIZES = 50

/** The maximum number of characters at the end of a URL to search for `.svg`. */
const MAX_SUFFIX = 200

/** `32x32`, with at most five digits. */
const SIZE = /^(\d{1,5})x(\d{1,5})$/i

/** Media of which no browser tab is one. */
const OTHER_MEDIA = /^\s*(?:print|speech|not all)\s*$/

/**
 * Ranks: the lowest wins. SVG has 0. A size is added to LARGER or subtracted from SMALLER, so that the nearest size
 * wins.
 */
const EXACT = 1
const LARGER = 2
const UNKNOWN = 200_000
const SMALLER = 300_000
const DARK = 1_000_000

/**
 * Returns the URL of the best icon. SVG icons are preferred, then icons of the exact size, of larger sizes, of unknown
 * size and of smaller sizes. Icons for a dark theme are used only if there is no other. Of equally good icons, the
 * last is used, as the standard says.
 * Source: https://html.spec.whatwg.org/multipage/links.html#rel-icon
 */
export function bestIcon(links: readonly Link[], reader: TextReader, normalize: Normalize): string | undefined {
  const isShown = ({ media, isInNoscript }: Link) =>
    !isInNoscript && (media === null || !OTHER_MEDIA.test(reader.attribute(media).toLowerCase()))
  const shown = links.filter(isShown)
  if (shown.length === 1) return normalize(reader.attribute(shown[0]!.href))
  const ranked = shown
    .slice(0, MAX_ICONS)
    .toReversed()
    .map((link) => ({ link, rank: rankOf(reader, link) }))
    .toSorted((a, b) => a.rank - b.rank)
  return firstOf(ranked, ({ link }) => normalize(reader.attribute(link.href)))
}

function rankOf(reader: TextReader, { sizes, type, media, href }: Link): number {
  const text = (range: Range | null) => (range === null ? '' : reader.attribute(range).toLowerCase())
  const isDark = text(media).includes('dark')
  const isSvg = text(type).includes('svg') || /\.svg(?:[?#]|$)/.test(text(href).slice(-MAX_SUFFIX))
  if (isSvg) return isDark ? DARK : 0
  return (isDark ? DARK : 0) + (sizes === null ? UNKNOWN : rankOfSizes(text(sizes)))
}

function rankOfSizes(sizes: string): number {
  const ranks = sizes.split(/\s+/, MAX_SIZES).flatMap(rankOfSize)
  return ranks.length === 0 ? UNKNOWN : Math.min(...ranks)
}

function rankOfSize(size: string): number[] {
  const [, width = 0, height = 0] = SIZE.exec(size) ?? []
  const side = size === 'any' ? TARGET_PX : Math.min(Number(width), Number(height))
  if (side === 0) return []
  if (side === TARGET_PX) return [EXACT]
  return [side > TARGET_PX ? LARGER + side : SMALLER - side]
}
