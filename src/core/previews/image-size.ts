import { imageDimensionsFromData } from 'image-dimensions'

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

const START_OF_SCAN = 0xda
const APP1 = 0xe1

/** Tag and type of the orientation in the first directory (Exif 3.0 section 4.6.5). */
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** The values that rotate the image by 90 degrees: 5 to 8. */
const FIRST_TURNED = 5
const LAST_TURNED = 8

/** Whether a JPEG is displayed rotated by 90 degrees, as cameras store portraits. Never throws. */
function swapsWidthAndHeight(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 2
  while (at + 4 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (marker === START_OF_SCAN) return false
    const end = at + 2 + view.getUint16(at + 2)
    if (marker === APP1 && isExif(view, at + 4)) {
      const orientation = orientationOf(view, at + 10, Math.min(end, view.byteLength))
      return orientation >= FIRST_TURNED && orientation <= LAST_TURNED
    }
    // A length counts its own two bytes.
    at = Math.max(end, at + 4)
  }
  return false
}

/** Whether `Exif` and two zero bytes are here. */
function isExif(view: DataView, at: number): boolean {
  return at + 6 <= view.byteLength && view.getUint32(at) === 0x45786966 && view.getUint16(at + 4) === 0
}

/** The orientation in a TIFF structure; 1 (upright) when it is missing or the structure is invalid. */
function orientationOf(view: DataView, start: number, end: number): number {
  if (start + 8 > end) return 1
  const isLittleEndian = view.getUint16(start) === 0x4949
  const directory = start + view.getUint32(start + 4, isLittleEndian)
  if (directory + 2 > end) return 1
  const entries = view.getUint16(directory, isLittleEndian)
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * ENTRY_BYTES
    if (entry + ENTRY_BYTES > end) break
    const isOrientation = view.getUint16(entry, isLittleEndian) === ORIENTATION
    if (isOrientation && view.getUint16(entry + 2, isLittleEndian) === SHORT) {
      return view.getUint16(entry + 8, isLittleEndian)
    }
  }
  return 1
}
