import { Parser } from 'probe-image-size/lib/formats/svg.js'

import type { ImageSize } from './image-facts.ts'

/** In pixels: https://drafts.csswg.org/css-values/#lengths. `ex` depends on the font, here DejaVu Serif as on Debian. */
const UNITS = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6, em: 16, rem: 16, ex: 9 }
const PIXELS = new Map([['', 1], ...Object.entries(UNITS)])

const LENGTH = /^\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*)\s*$/i

/** https://drafts.csswg.org/css-images/#default-object-size */
const DEFAULT = { width: 300, height: 150 }

/**
 * The size of an SVG document in an `<img>`; null if `bytes` lack a part of its start tag. Percentages count as missing,
 * because they are of the page around the image. A view box has a ratio, but no size.
 */
export function svgSize(bytes: Uint8Array): ImageSize | null {
  const parser = new Parser()
  parser.push(bytes)
  if (parser.getStatus() !== 1) return null
  const [width, height] = [pixelsIn(parser.attrs['width']), pixelsIn(parser.attrs['height'])]
  const box = parser.attrs['viewBox']?.match(/[^\s,]+/g)?.map(Number) ?? []
  const ratio = box.length === 4 && box[2]! > 0 ? box[2]! / box[3]! : 0
  if (!(ratio > 0)) return { width: width ?? DEFAULT.width, height: height ?? DEFAULT.height }
  const shown = width ?? ratio * (height ?? Math.min(DEFAULT.height, DEFAULT.width / ratio))
  return { width: shown, height: height ?? shown / ratio }
}

function pixelsIn(length = ''): number | undefined {
  const [, number, unit = ''] = LENGTH.exec(length) ?? []
  const pixels = Number(number) * (PIXELS.get(unit.toLowerCase()) ?? NaN)
  return Number.isNaN(pixels) ? undefined : pixels
}
