import probe from 'probe-image-size/sync.js'

import { SVG_TYPE } from './content-type.ts'
import { exifSize } from './exif-size.ts'
import type { ImageSize } from './image-facts.ts'
import { jxlSize } from './jxl-size.ts'
import { svgSize } from './svg-size.ts'

/**
 * Bounds the search for the size. In an SVG, the start tag may follow a declaration, comments and a doctype. An AVIF or
 * JPEG XL can have 600,000 empty boxes.
 */
const MAX_BYTES: Readonly<Record<string, number>> = { [SVG_TYPE]: 8_192, 'image/avif': 262_144, 'image/jxl': 262_144 }

/** Larger dimensions are implausible. */
const MAX_PIXELS = 1_000_000

/** The orientations (Exif 3.0 section 4.6.5) that rotate an image by 90 degrees. */
const TURNED: readonly unknown[] = [5, 6, 7, 8]

type Read = (file: Buffer) => (ImageSize & { orientation?: number | undefined }) | null

/** Formats of which Chromium shows another size than that of the header, or turns the image. */
const READERS: Readonly<Record<string, Read>> = {
  [SVG_TYPE]: svgSize,
  'image/gif': gifSize,
  'image/jpeg': (jpeg) => exifSize(jpeg, true),
  'image/png': (png) => exifSize(png, false),
  'image/jxl': jxlSize,
  // The properties of an AVIF count. Its Exif, which is in its data, does not.
  'image/avif': (avif) => probe(avif.subarray(0, avif.toString('latin1').split('mdat', 1)[0]!.length)),
}

/** The dimensions of an image in Chromium; null if unknown. Takes linear time, and never throws. */
export function imageSizeOf({ buffer, byteOffset, length }: Uint8Array, mimeType: string): ImageSize | null {
  const file = Buffer.from(buffer, byteOffset, Math.min(length, MAX_BYTES[mimeType] ?? length))
  const found = (READERS[mimeType] ?? probe)(file)
  if (found === null) return null
  const size = { width: Math.round(found.width), height: Math.round(found.height) }
  if (!isLength(size.width) || !isLength(size.height)) return null
  const isTurned = mimeType !== 'image/webp' && TURNED.includes(found.orientation)
  return isTurned ? { width: size.height, height: size.width } : size
}

const isLength = (length: number): boolean => length > 0 && length <= MAX_PIXELS

/** Browsers enlarge a GIF to its first frame (GIF89a, sections 17 to 20). */
function gifSize(gif: Uint8Array): ImageSize | null {
  const short = (at: number) => gif[at]! | (gif[at + 1]! << 8)
  // The first block follows the header and the global color table.
  let at = 13 + (gif[10]! & 0x80 ? 6 << (gif[10]! & 7) : 0)
  // An extension has a label and blocks, each preceded by its length.
  while (gif[at] === 0x21) {
    at += 2
    while (gif[at]) at += gif[at]! + 1
    at++
  }
  if (gif[at] !== 0x2c || at + 9 > gif.length) return null
  const end = (offset: number) => short(at + offset) + short(at + offset + 4)
  return { width: Math.max(short(6), end(1)), height: Math.max(short(8), end(3)) }
}
