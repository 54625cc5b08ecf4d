/** Images that consist only of the header with their dimensions. */

const ascii = (text: string) => new TextEncoder().encode(text)

function joined(...parts: (Uint8Array | number[])[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))))
}

const u16 = (value: number) => [(value >> 8) & 255, value & 255]
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value)]

export function png(width: number, height: number): Uint8Array {
  const header = joined(ascii('IHDR'), u32(width), u32(height), [8, 2, 0, 0, 0])
  return joined([0x89], ascii('PNG\r\n'), [0x1a, 0x0a], u32(13), header, u32(0))
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

/** A JPEG with an Exif orientation from 1 to 8, after a segment that is not Exif. */
export function exifJpeg(width: number, height: number, orientation: number, isLittleEndian = true): Uint8Array {
  const short = (value: number) => (isLittleEndian ? u16(value).toReversed() : u16(value))
  const long = (value: number) => (isLittleEndian ? u32(value).toReversed() : u32(value))
  const entry = (tag: number, value: number) => [...short(tag), ...short(3), ...long(1), ...short(value), 0, 0]
  const tiff = joined(
    ascii(isLittleEndian ? 'II' : 'MM'),
    short(42),
    long(8),
    short(2),
    entry(0x0100, width),
    entry(0x0112, orientation),
    long(0),
  )
  const exif = joined(ascii('Exif'), [0, 0], tiff)
  const [start, rest] = [jpeg(width, height).subarray(0, 20), jpeg(width, height).subarray(20)]
  return joined(start, [0xff, 0xe1], u16(exif.length + 2), exif, rest)
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

/** @param bytes the length of the image's data */
export function webp(width: number, height: number, bytes = 0): Uint8Array {
  const u24 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255]
  const extended = joined(ascii('VP8X'), [10, 0, 0, 0, 0, 0, 0, 0], u24(width - 1), u24(height - 1))
  const length = (value: number) => [...u24(value), value >> 24]
  const data = bytes === 0 ? [] : joined(ascii('VP8 '), length(bytes), new Uint8Array(bytes))
  return joined(ascii('RIFF'), length(22 + data.length), ascii('WEBP'), extended, data)
}

export function avif(width: number, height: number): Uint8Array {
  const box = (type: string, ...content: (Uint8Array | number[])[]) => {
    const body = joined(...content)
    return joined(u32(body.length + 8), ascii(type), body)
  }
  const size = box('ispe', u32(0), u32(width), u32(height))
  const properties = box('iprp', box('ipco', size), box('ipma', [...u32(0), ...u32(1), ...u16(1), 1, 1]))
  const meta = box('meta', u32(0), box('pitm', [...u32(0), ...u16(1)]), properties)
  return joined(box('ftyp', ascii('avif'), u32(0), ascii('avifmif1')), meta)
}

export function svg(attributes: string): Uint8Array {
  return ascii(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect/></svg>`)
}
