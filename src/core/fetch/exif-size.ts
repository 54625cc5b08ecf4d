import probe from 'probe-image-size/sync.js'

/* Exif 3.0: https://www.cipa.jp/std/documents/download_e.html?CIPA_DC-008-2023-E */

/** Exif is close to the start of a file, before the pixels. */
const MAX_BYTES_BEFORE = 262_144

/** The first Exif, in a segment of a JPEG or a chunk of a PNG, up to the end of its header; or the pixels of a PNG. */
const START = /\xff\xe1..Exif\0.{5}|eXIf.{4}|IDAT/s

/* Tags of the main directory, and of the directory to which `exif` leads. */
const TAG = { orientation: 0x112, xResolution: 0x11a, yResolution: 0x11b, unit: 0x128, exif: 0x8769 }
const EXIF_TAG = { width: 0xa002, height: 0xa003 }

const TYPE = { short: 3, rational: 5 }

const INCHES = 2
/** Of images without one, in pixels per inch. */
const DEFAULT_RESOLUTION = 72

/**
 * The stored size and the orientation of a JPEG or PNG; null if the size is unknown. In a JPEG, the size of the resolution in
 * Exif takes precedence if Exif has the same size.
 * https://html.spec.whatwg.org/multipage/images.html#prepare-an-image-for-presentation
 */
export function exifSize(image: Buffer, hasDensity: boolean) {
  const stored = probe(image)
  if (stored === null) return null
  const tags = exifTags(image)
  const width = Math.round((stored.width * DEFAULT_RESOLUTION) / (tags.get(TAG.xResolution) ?? 0))
  const height = Math.round((stored.height * DEFAULT_RESOLUTION) / (tags.get(TAG.yResolution) ?? 0))
  const isDeclared = width === tags.get(EXIF_TAG.width) && height === tags.get(EXIF_TAG.height) && width * height > 0
  const size = hasDensity && isDeclared && tags.get(TAG.unit) === INCHES ? { width, height } : stored
  return { ...size, orientation: tags.get(TAG.orientation) }
}

/** The first number of each tag in the main directory and in that of Exif. Only the first Exif of several counts. */
function exifTags(image: Buffer): ReadonlyMap<number, number> {
  const tags = new Map<number, number>()
  const found = START.exec(image.toString('latin1', 0, MAX_BYTES_BEFORE))
  const order = found?.[0].slice(-4)
  if (found === null || (order !== 'II*\0' && order !== 'MM\0*')) return tags
  const exif = image.subarray(found.index + found[0].length - 4)
  const read = (at: number, bytes: number): number => {
    if (at + bytes > exif.length) return 0
    return order === 'II*\0' ? exif.readUIntLE(at, bytes) : exif.readUIntBE(at, bytes)
  }
  const readDirectory = (start: number) => {
    for (let left = read(start, 2), at = start + 2; left > 0; left--, at += 12) {
      const long = read(at + 8, 4)
      const type = read(at + 2, 2)
      const rational = type === TYPE.rational ? read(long, 4) / read(long + 4, 4) : long
      tags.getOrInsert(read(at, 2), type === TYPE.short ? read(at + 8, 2) : rational)
    }
  }
  readDirectory(read(4, 4))
  readDirectory(tags.get(TAG.exif) ?? exif.length)
  return tags
}
