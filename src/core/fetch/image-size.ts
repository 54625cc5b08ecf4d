import probe from 'probe-image-size/sync.js'

import type { ImageSize } from './image-facts.ts'

/**
 * Bounds the search for the size. In an SVG, the start tag may follow a declaration, comments and a doctype. An AVIF
 * can have 600,000 empty boxes.
 */
const MAX_BYTES: Readonly<Record<string, number>> = { 'image/svg+xml': 8_192, 'image/avif': 262_144 }

/** Larger dimensions are implausible. */
const MAX_PIXELS = 1_000_000

/** The first value of the orientation (Exif 3.0 section 4.6.5) that rotates an image by 90 degrees. */
const FIRST_TURNED = 5

/** The dimensions of an image as displayed; null if unknown. Takes linear time, and never throws. */
export function imageSizeOf(bytes: Uint8Array, mimeType: string): ImageSize | null {
  const found = probe(bytes.subarray(0, MAX_BYTES[mimeType]))
  if (found === null || found.wUnits !== 'px' || found.hUnits !== 'px') return null
  const size = { width: Math.round(found.width), height: Math.round(found.height) }
  if (!isLength(size.width) || !isLength(size.height)) return null
  if (mimeType === 'image/gif') return enlarged(size, bytes)
  return (found.orientation ?? 1) < FIRST_TURNED ? size : { width: size.height, height: size.width }
}

const isLength = (length: number): boolean => length > 0 && length <= MAX_PIXELS

/** Browsers enlarge a GIF to its first frame (GIF89a, sections 17 to 20). */
function enlarged({ width, height }: ImageSize, gif: Uint8Array): ImageSize | null {
  const view = new DataView(gif.buffer, gif.byteOffset, gif.byteLength)
  const flags = gif[10] ?? 0
  // The first block follows the header and the global color table.
  let at = 13 + (flags & 0x80 ? 6 << (flags & 7) : 0)
  // An extension has a label and blocks, each preceded by its length.
  while (gif[at] === 0x21) {
    at += 2
    while (gif[at]) at += gif[at]! + 1
    at++
  }
  if (gif[at] !== 0x2c || at + 9 > gif.length) return null
  const end = (offset: number) => view.getUint16(at + offset, true) + view.getUint16(at + offset + 4, true)
  return { width: Math.max(width, end(1)), height: Math.max(height, end(3)) }
}
