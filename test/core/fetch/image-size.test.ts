import { describe, expect, test } from 'bun:test'

import { imageSizeOf } from '../../../src/core/fetch/image-size.ts'
import {
  avif,
  bmp,
  exif,
  exifJpeg,
  gif,
  jpeg,
  jpegWith,
  jxlContainer,
  png,
  pngChunk,
  svg,
  webp,
} from '../../origin/images.ts'

/** The same bytes, but not at the start of their buffer. */
function inside(bytes: Uint8Array): Uint8Array {
  const buffer = new Uint8Array(bytes.length + 20)
  buffer.set(bytes, 7)
  return buffer.subarray(7, 7 + bytes.length)
}

/** Some parsers take the bytes after RST0 as the length of a segment, after which another frame header follows. */
function restartedJpeg(): Uint8Array {
  const [large, small] = [jpeg(4_000, 3_000), jpeg(64, 64)]
  return Uint8Array.of(0xff, 0xd8, 0xff, 0xd0, ...large.subarray(2), ...small.subarray(2))
}

describe('the size of an image', () => {
  test.each([
    ['PNG', png(1200, 630), 'image/png', 1200, 630],
    ['JPEG', jpeg(1200, 630), 'image/jpeg', 1200, 630],
    ['JPEG with 64 KB of metadata', jpeg(800, 1200, 65_000), 'image/jpeg', 800, 1200],
    ['JPEG that is upright', exifJpeg(4_000, 3_000, 1), 'image/jpeg', 4_000, 3_000],
    ['JPEG that is turned upside down', exifJpeg(4_000, 3_000, 3), 'image/jpeg', 4_000, 3_000],
    ['JPEG in portrait format, turned right', exifJpeg(4_000, 3_000, 6), 'image/jpeg', 3_000, 4_000],
    ['JPEG in portrait format, big endian', exifJpeg(4_000, 3_000, 8, false), 'image/jpeg', 3_000, 4_000],
    ['JPEG with an unknown orientation', exifJpeg(4_000, 3_000, 9), 'image/jpeg', 4_000, 3_000],
    ['JPEG in a larger buffer', inside(exifJpeg(4_000, 3_000, 5)), 'image/jpeg', 3_000, 4_000],
    ['GIF', gif(16, 9), 'image/gif', 16, 9],
    ['JPEG with 1 MB of metadata', jpeg(800, 1200, 60_000, 17), 'image/jpeg', 800, 1200],
    ['WebP of 3 MB', webp(1200, 630, 3_000_000), 'image/webp', 1200, 630],
    ['GIF whose frame is larger', gif(16, 9, [20, 8]), 'image/gif', 20, 9],
    ['BMP', bmp(640, 480), 'image/bmp', 640, 480],
    ['BMP stored from top to bottom', bmp(640, -480), 'image/bmp', 640, 480],
    ['JPEG with a marker without a length', restartedJpeg(), 'image/jpeg', 4_000, 3_000],
    ['WebP in a larger buffer', inside(webp(8, 6)), 'image/webp', 8, 6],
    ['GIF in a larger buffer', inside(gif(8, 6)), 'image/gif', 8, 6],
    ['WebP', webp(1200, 630), 'image/webp', 1200, 630],
    ['AVIF', avif(1200, 630), 'image/avif', 1200, 630],
    ['SVG with width and height', svg('width="300" height="157.4px"'), 'image/svg+xml', 300, 157],
    [
      'SVG after a declaration',
      new TextEncoder().encode('<?xml version="1.0"?><!-- x --><svg width="4" viewBox="0,0,4,2"/>'),
      'image/svg+xml',
      4,
      2,
    ],
  ])('%s', (_, bytes, mimeType, width, height) => expect(imageSizeOf(bytes, mimeType)).toEqual({ width, height }))

  test.each([
    ['no bytes', new Uint8Array(), 'image/png'],
    ['a truncated PNG', png(1200, 630).subarray(0, 20), 'image/png'],
    ['a truncated JPEG', jpeg(1200, 630).subarray(0, 12), 'image/jpeg'],
    ['a width of 0', png(0, 630), 'image/png'],
    ['more than a million pixels wide', png(1_000_001, 1), 'image/png'],
    ['an icon', new Uint8Array([0, 0, 1, 0, 1, 0, 16, 16]), 'image/x-icon'],
    ['SVG of no width', svg('width="0" height="9"'), 'image/svg+xml'],
    ['SVG whose start tag is cut off', svg('width="9" height="9"').subarray(0, 60), 'image/svg+xml'],
    ['a truncated JPEG XL', jxl('ff0a9870b0a1b810004880').subarray(0, 11), 'image/jxl'],
    ['a JPEG XL without a codestream', jxlContainer('jxlc', new Uint8Array()), 'image/jxl'],
    ['GIF without a screen whose frame has no width', gif(0, 0, [0, 5]), 'image/gif'],
    [
      'SVG whose size is after 8 KB',
      new TextEncoder().encode(`${' '.repeat(9_000)}<svg viewBox="0 0 1 1">`),
      'image/svg+xml',
    ],
    ['GIF without a frame', gif(16, 9).subarray(0, 25), 'image/gif'],
  ])('is unknown for %s', (_, bytes, mimeType) => expect(imageSizeOf(bytes, mimeType)).toBeNull())
})

/** Headers as cjxl 0.7 writes them. */
function jxl(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex)
}

/** A PNG with chunks in front of its end. */
function pngWith(...chunks: readonly (readonly [name: string, content: Uint8Array])[]): Uint8Array {
  return new Uint8Array(Buffer.concat([png(40, 20), ...chunks.map(([name, content]) => pngChunk(name, content))]))
}

const o = (orientation: number, isLittleEndian = true) => exif({ orientation }, isLittleEndian)

// Expected is what Chromium 156 has as `naturalWidth` and `naturalHeight` of an `<img>` with such an image.
describe('the size of an image with metadata', () => {
  test.each([
    ['PNG, upright', pngWith(['eXIf', o(1)]), 'image/png', 40, 20],
    ['PNG, mirrored', pngWith(['eXIf', o(4)]), 'image/png', 40, 20],
    ['PNG, mirrored and turned', pngWith(['eXIf', o(5)]), 'image/png', 20, 40],
    ['PNG, turned left', pngWith(['eXIf', o(8, false)]), 'image/png', 20, 40],
    ['PNG with an unknown orientation', pngWith(['eXIf', o(9)]), 'image/png', 40, 20],
    ['PNG after another chunk', pngWith(['gAMA', new Uint8Array(4)], ['eXIf', o(6)]), 'image/png', 20, 40],
    ['PNG after the pixels', pngWith(['IDAT', new Uint8Array(9)], ['eXIf', o(6)]), 'image/png', 40, 20],
    ['PNG, the first of two', pngWith(['eXIf', o(1)], ['eXIf', o(6)]), 'image/png', 40, 20],
    ['PNG in a JPEG segment', pngWith(['eXIf', jpegWith(1, 1, o(6)).subarray(24)]), 'image/png', 40, 20],
    [
      'PNG of another density',
      pngWith(['eXIf', exif({ orientation: 6, resolution: [144, 144], size: [20, 10] })]),
      'image/png',
      20,
      40,
    ],
    ['JPEG, the first of two turned', jpegWith(40, 20, o(6), o(1)), 'image/jpeg', 20, 40],
    ['JPEG, the second of two turned', jpegWith(40, 20, o(1), o(6)), 'image/jpeg', 40, 20],
    ['JPEG, the first of two broken', jpegWith(40, 20, new Uint8Array(20), o(6)), 'image/jpeg', 40, 20],
    ['WebP', webp(40, 20, 10, o(6)), 'image/webp', 40, 20],
    ['AVIF turned by a property', avif(40, 20, { turns: 1 }), 'image/avif', 20, 40],
    ['AVIF turned upside down', avif(40, 20, { turns: 2 }), 'image/avif', 40, 20],
    ['AVIF turned by Exif', avif(40, 20, { exifPart: o(6) }), 'image/avif', 40, 20],
  ])('%s', (_, bytes, mimeType, width, height) => expect(imageSizeOf(bytes, mimeType)).toEqual({ width, height }))
})

describe('the size of a JPEG whose density is', () => {
  const of = (values: Parameters<typeof exif>[0], isLittleEndian = true) =>
    jpegWith(40, 20, exif(values, isLittleEndian))

  test.each([
    ['doubled', of({ resolution: [144, 144], size: [20, 10] }), 20, 10],
    ['doubled, big endian', of({ resolution: [144, 144], size: [20, 10] }, false), 20, 10],
    ['doubled, turned', of({ orientation: 6, resolution: [144, 144], size: [20, 10] }), 10, 20],
    ['halved', of({ resolution: [36, 36], size: [80, 40] }), 80, 40],
    ['doubled in one direction', of({ resolution: [72, 144], size: [40, 10] }), 40, 10],
    ['rounded', of({ resolution: [150, 150], size: [19, 10] }), 19, 10],
    ['of another size', of({ resolution: [144, 144], size: [21, 10] }), 40, 20],
    ['of the turned size', of({ orientation: 6, resolution: [144, 144], size: [10, 20] }), 20, 40],
    ['without a size', of({ resolution: [144, 144] }), 40, 20],
    ['a size without a resolution', of({ size: [20, 10] }), 40, 20],
    ['in centimeters', of({ resolution: [144, 144, 3], size: [20, 10] }), 40, 20],
    ['0', of({ resolution: [0, 0], size: [0, 0] }), 40, 20],
    ['so high that nothing is left', of({ resolution: [99_999, 99_999], size: [0, 0] }), 40, 20],
    ['in the second Exif', jpegWith(40, 20, o(1), exif({ resolution: [144, 144], size: [20, 10] })), 40, 20],
  ])('%s', (_, bytes, width, height) => expect(imageSizeOf(bytes, 'image/jpeg')).toEqual({ width, height }))
})

describe('the size of a GIF whose screen is', () => {
  test.each([
    ['empty', gif(0, 0, [7, 5]), 7, 5],
    ['without a width', gif(0, 9, [7, 5]), 7, 9],
    ['without a height', gif(16, 0, [7, 5]), 16, 5],
    ['larger than its frame', gif(16, 9, [0, 0]), 16, 9],
  ])('%s', (_, bytes, width, height) => expect(imageSizeOf(bytes, 'image/gif')).toEqual({ width, height }))
})

describe('the size of a JPEG XL', () => {
  test.each([
    ['of multiples of 8', jxl('ff0a4f404071210802010024'), 64, 64],
    ['of multiples of 8 without a ratio', jxl('ff0a013e08282e0408020100'), 256, 8],
    ['with a ratio', jxl('ff0a7a160501c58508020100'), 1280, 720],
    ['of 1 pixel', jxl('ff0a001010505c0808020100'), 1, 1],
    ['of any lengths', jxl('ff0aaa13e8958080e2420802'), 1200, 630],
    ['that is very wide', jxl('ff0a10800e2708282e040802'), 5000, 3],
    ['turned', jxl('ff0a98700b84e43e41c20132'), 20, 40],
    ['in a container', jxlContainer('jxlc', jxl('ff0a9870b0a1b81000488028')), 40, 20],
    ['in parts', jxlContainer('jxlp', jxl('ff0a98700b84e43e41c20132')), 20, 40],
  ])('%s', (_, bytes, width, height) => expect(imageSizeOf(bytes, 'image/jxl')).toEqual({ width, height }))
})

describe('the size of an SVG with', () => {
  test.each([
    ['width="30pt" height="20PT"', 40, 27],
    ['width="3pc" height="2pc"', 48, 32],
    ['width="3in" height="2in"', 288, 192],
    ['width="3cm" height="2cm"', 113, 76],
    ['width="30mm" height="20mm"', 113, 76],
    ['width="40Q" height="20q"', 38, 19],
    ['width="3em" height="2rem"', 48, 32],
    ['width="3ex" height="2ex"', 27, 18],
    ['width=" 20 " height="1.5e1"', 20, 15],
    ['width="1e2px" height="+10"', 100, 10],
    ['width="10.5" height="10.4"', 11, 10],
    ['width=".5" height="10."', 1, 150],
    ['', 300, 150],
    ['width="100%" height="100%"', 300, 150],
    ['width="50%" height="20"', 300, 20],
    ['width="200"', 200, 150],
    ['height="200"', 300, 200],
    ['width="auto" height="10"', 300, 10],
    ['width="20 px" height="10"', 300, 10],
    ['width="200" viewBox="0 0 24 12"', 200, 100],
    ['height="200" viewBox="0 0 24 12"', 400, 200],
    ['width="50%" height="20" viewBox="0 0 24 12"', 40, 20],
    ['width="1em" viewBox="0 0 448 512"', 16, 18],
    ['width="30" height="20" viewBox="0 0 448 512"', 30, 20],
    // As large as fits into 300 × 150.
    ['viewBox="0 0 24 12"', 300, 150],
    ['viewBox=" 0 0 24,12 "', 300, 150],
    ['viewBox="0 0 7 3"', 300, 129],
    ['viewBox="0 0 12 24"', 75, 150],
    ['viewBox="0 0 1200 630"', 286, 150],
    ['width="100%" viewBox="0 0 12 24"', 75, 150],
    ['viewBox="0 0 0 12"', 300, 150],
    ['viewBox="0 0 -4 -12"', 300, 150],
    ['viewBox="0 0 24px 12px"', 300, 150],
    ['viewBox="0 0 24"', 300, 150],
    ['viewBox="0 0 12 24 7"', 300, 150],
    ['viewbox="0 0 12 24"', 300, 150],
  ])('%s', (attributes, width, height) =>
    expect(imageSizeOf(svg(attributes), 'image/svg+xml')).toEqual({ width, height }),
  )
})

test('changed bytes never throw, and have a plausible size or none', () => {
  const dense = jpegWith(9, 8, exif({ orientation: 6, resolution: [72, 72], size: [9, 8] }))
  const seeds: readonly (readonly [Uint8Array, string])[] = [
    [png(9, 9), 'image/png'],
    [pngWith(['eXIf', o(6)]), 'image/png'],
    [jpeg(9, 9), 'image/jpeg'],
    [dense, 'image/jpeg'],
    [gif(9, 9), 'image/gif'],
    [webp(9, 9), 'image/webp'],
    [avif(9, 9, { exifPart: o(6) }), 'image/avif'],
    [jxlContainer('jxlp', jxl('ff0a98700b84e43e41c20132')), 'image/jxl'],
    [jxl('ff0aaa13e8958080e2420802'), 'image/jxl'],
    [svg('width="9em" viewBox="0 0 1 1"'), 'image/svg+xml'],
  ]
  // A fixed sequence, so that a failure can be reproduced.
  let state = 1
  const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) % below
  for (let round = 0; round < 20_000; round++) {
    const [seed, type] = seeds[next(seeds.length)]!
    const bytes = seed.slice()
    for (let n = next(8); n >= 0; n--) bytes[next(bytes.length)] = [0, 1, 0x7f, 0x80, 0xff, next(256)][next(6)]!
    const size = imageSizeOf(bytes, type)
    if (size !== null)
      expect([size.width, size.height].every((pixels) => Number.isInteger(pixels) && pixels > 0)).toBe(true)
  }
})
