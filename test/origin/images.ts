/** Images that consist only of the header with their dimensions. */

const ascii = (text: string) => new TextEncoder().encode(text)

function joined(...parts: (Uint8Array | number[])[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))))
}

const u16 = (value: number) => [(value >> 8) & 255, value & 255]
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value)]

export function png(width: number, height: number): Uint8Array {
  const header = joined(u32(width), u32(height), [8, 2, 0, 0, 0])
  return joined([0x89], ascii('PNG\r\n'), [0x1a, 0x0a], pngChunk('IHDR', header))
}

export function pngChunk(name: string, content: Uint8Array): Uint8Array {
  return joined(u32(content.length), ascii(name), content, u32(0))
}

/** The response of a site to a request for a PNG. */
export function pngResponse(bytes = png(1200, 630)): Response {
  return new Response(new Blob([bytes.slice()]), { headers: { 'content-type': 'image/png' } })
}

/** @param metadataBytes the size of each segment before the one with the dimensions */
export function jpeg(width: number, height: number, metadataBytes = 14, segments = 1): Uint8Array {
  const segment = joined([0xff, 0xe1], u16(metadataBytes + 2), new Uint8Array(metadataBytes))
  const frame = [0xff, 0xc0, ...u16(17), 8, ...u16(height), ...u16(width), 3]
  return joined([0xff, 0xd8], ...Array.from({ length: segments }, () => segment), frame)
}

interface ExifValues {
  orientation?: number
  /** Of the width and of the height, and its unit; 2 is pixels per inch. */
  resolution?: readonly [x: number, y: number, unit?: number]
  size?: readonly [width: number, height: number]
}

/** Exif from its byte order on: the main directory, the directory with the size, and the rational numbers. */
export function exif({ orientation, resolution, size }: ExifValues, isLittleEndian = true): Uint8Array {
  const short = (value: number) => (isLittleEndian ? u16(value).toReversed() : u16(value))
  const long = (value: number) => (isLittleEndian ? u32(value).toReversed() : u32(value))
  const entry = (tag: number, type: number, value: number[]) => [...short(tag), ...short(type), ...long(1), ...value]
  const shortEntry = (tag: number, value: number) => entry(tag, 3, [...short(value), 0, 0])
  const longEntry = (tag: number, value: number) => entry(tag, 4, long(value))
  const directory = (entries: number[][]) => [...short(entries.length), ...entries.flat(), ...long(0)]
  const [x, y, unit = 2] = resolution ?? []
  const count =
    1 + (orientation === undefined ? 0 : 1) + (resolution === undefined ? 0 : 3) + (size === undefined ? 0 : 1)
  const sizeAt = 8 + 2 + 12 * count + 4
  const rationalsAt = sizeAt + (size === undefined ? 0 : 2 + 12 * 2 + 4)
  const main = [shortEntry(0x0100, 7)]
  if (orientation !== undefined) main.push(shortEntry(0x0112, orientation))
  if (x !== undefined) {
    main.push(entry(0x011a, 5, long(rationalsAt)), entry(0x011b, 5, long(rationalsAt + 8)), shortEntry(0x0128, unit))
  }
  if (size !== undefined) main.push(longEntry(0x8769, sizeAt))
  const sizes = size === undefined ? [] : directory([longEntry(0xa002, size[0]), longEntry(0xa003, size[1])])
  const rationals = x === undefined || y === undefined ? [] : [...long(x * 2), ...long(2), ...long(y * 2), ...long(2)]
  return joined(ascii(isLittleEndian ? 'II' : 'MM'), short(42), long(8), directory(main), sizes, rationals)
}

/** A JPEG with Exif, after a segment that is not Exif. */
export function jpegWith(width: number, height: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const segments = parts.map((part) => joined([0xff, 0xe1], u16(part.length + 8), ascii('Exif\0\0'), part))
  const [start, rest] = [jpeg(width, height).subarray(0, 20), jpeg(width, height).subarray(20)]
  return joined(start, ...segments, rest)
}

/** A JPEG with an Exif orientation from 1 to 8. */
export function exifJpeg(width: number, height: number, orientation: number, isLittleEndian = true): Uint8Array {
  return jpegWith(width, height, exif({ orientation }, isLittleEndian))
}

/** With a color table, a comment and one frame, by default as large as the logical screen. */
export function gif(width: number, height: number, [frameWidth, frameHeight] = [width, height]): Uint8Array {
  const u16le = (value: number) => u16(value).toReversed()
  const screen = joined(u16le(width), u16le(height), [0x80, 0, 0], [0, 0, 0, 255, 255, 255])
  const comment = [0x21, 0xfe, 2, 65, 66, 1, 67, 0]
  const frame = joined([0x2c, 0, 0, 0, 0], u16le(frameWidth), u16le(frameHeight), [0])
  return joined(ascii('GIF89a'), screen, comment, frame, [2, 2, 0x44, 1, 0, 0x3b])
}

/** Of run-length encoded rows. */
export function bmp(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(54)
  bytes.set(ascii('BM'))
  const view = new DataView(bytes.buffer)
  const header = [14, 40, 18, width, 22, height]
  for (let i = 0; i < header.length; i += 2) view.setInt32(header[i]!, header[i + 1]!, true)
  return bytes
}

const u32le = (value: number) => u32(value).toReversed()

/** @param bytes the length of the image's data */
export function webp(width: number, height: number, bytes = 0, exifPart: Uint8Array = new Uint8Array()): Uint8Array {
  const u24 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255]
  const extended = joined(
    ascii('VP8X'),
    [10, 0, 0, 0, exifPart.length === 0 ? 0 : 8, 0, 0, 0],
    u24(width - 1),
    u24(height - 1),
  )
  const data = bytes === 0 ? [] : joined(ascii('VP8 '), u32le(bytes), new Uint8Array(bytes))
  const metadata = exifPart.length === 0 ? [] : joined(ascii('EXIF'), u32le(exifPart.length), exifPart)
  return joined(ascii('RIFF'), u32le(22 + data.length + metadata.length), ascii('WEBP'), extended, data, metadata)
}

const box = (type: string, ...content: (Uint8Array | number[])[]) => {
  const body = joined(...content)
  return joined(u32(body.length + 8), ascii(type), body)
}

interface AvifParts {
  /** Brands of four letters each; the first one is the major brand. */
  brands?: readonly [string, ...string[]]
  /** In turns of 90 degrees to the left. */
  turns?: number
  /** In the data, as an item of the metadata. */
  exifPart?: Uint8Array
}

export function avif(width: number, height: number, { brands = ['avif', 'mif1'], turns, exifPart }: AvifParts = {}) {
  const turn = turns === undefined ? [] : box('irot', [turns])
  const properties = box('iprp', box('ipco', box('ispe', u32(0), u32(width), u32(height)), turn))
  const type = box('ftyp', ascii(brands[0]), u32(0), ascii(brands.join('')))
  const metaOf = (at: number) => {
    if (exifPart === undefined) return box('meta', u32(0), box('pitm', [...u32(0), ...u16(1)]), properties)
    const item = box('infe', [2, 0, 0, 0], u16(2), u16(0), ascii('Exif'), [0])
    const location = box('iloc', u32(0), [0x44, 0], u16(1), u16(2), u16(0), u16(1), u32(at), u32(exifPart.length + 4))
    return box('meta', u32(0), box('iinf', u32(0), u16(1), item), location, properties)
  }
  const data = exifPart === undefined ? [] : box('mdat', u32(0), exifPart)
  return joined(type, metaOf(type.length + metaOf(0).length + 8), data)
}

/** In a box of its own, as in a file with metadata. */
export function jxlContainer(name: 'jxlc' | 'jxlp', codestream: Uint8Array): Uint8Array {
  const signature = box('JXL ', [0x0d, 0x0a, 0x87, 0x0a])
  const part = name === 'jxlp' ? u32(0x8000_0000) : []
  return joined(
    signature,
    box('ftyp', ascii('jxl '), u32(0), ascii('jxl ')),
    box('Exif', u32(0)),
    box(name, part, codestream),
  )
}

export function svg(attributes: string): Uint8Array {
  return ascii(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect/></svg>`)
}
