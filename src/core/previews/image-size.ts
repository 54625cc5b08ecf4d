import { imageDimensionsFromData } from 'image-dimensions'

import { swapsWidthAndHeight } from './exif-orientation.ts'
import type { ImageSize } from '../fetch/image-facts.ts'

/** Only this part is searched for the dimensions, which follow up to 64 KB of metadata. More may take half a second. */
const MAX_HEADER_BYTES = 256 * 1024

/** The start tag of an SVG, which may follow a declaration, comments and a doctype. */
const SVG_TAG = /<svg\s[^>]{0,4000}>/i
const MAX_SVG_CHARACTERS = 8_192

/** Larger dimensions are implausible. */
const MAX_PIXELS = 1_000_000

/** The dimensions of an image as displayed, from its first bytes; null when unknown. Never throws. */
export function imageSizeOf(bytes: Uint8Array, mimeType: string): ImageSize | null {
  const start = bytes.subarray(0, MAX_HEADER_BYTES)
  const found = mimeType === 'image/svg+xml' ? svgSize(start) : imageDimensionsFromData(start)
  if (!found || !isLength(found.width) || !isLength(found.height)) return null
  const { width, height } = found
  return mimeType === 'image/jpeg' && swapsWidthAndHeight(start) ? { width: height, height: width } : { width, height }
}

/** From `width` and `height` in pixels, or else from `viewBox`. */
function svgSize(bytes: Uint8Array): ImageSize | null {
  const [tag] = SVG_TAG.exec(new TextDecoder().decode(bytes.subarray(0, MAX_SVG_CHARACTERS))) ?? []
  if (tag === undefined) return null
  const [, width] = /\swidth\s*=\s*["']\s*(\d+(?:\.\d+)?)(?:px)?\s*["']/i.exec(tag) ?? []
  const [, height] = /\sheight\s*=\s*["']\s*(\d+(?:\.\d+)?)(?:px)?\s*["']/i.exec(tag) ?? []
  const [, boxWidth, boxHeight] =
    /\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/i.exec(tag) ?? []
  return { width: Math.round(Number(width ?? boxWidth)), height: Math.round(Number(height ?? boxHeight)) }
}

function isLength(length: number): boolean {
  return Number.isInteger(length) && length > 0 && length <= MAX_PIXELS
}
