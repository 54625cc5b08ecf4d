import { describe, expect, test } from 'bun:test'

import { imageSizeOf } from '../../../src/core/fetch/image-size.ts'
import { gif, avif, bmp, exifJpeg, jpeg, png, svg, webp } from '../../origin/images.ts'

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
    ['SVG with a view box', svg('viewBox="0 0 24 12"'), 'image/svg+xml', 24, 12],
    [
      'SVG after a declaration',
      new TextEncoder().encode('<?xml version="1.0"?><!-- x --><svg viewBox="0,0,4,2"/>'),
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
    ['SVG in percent', svg('width="100%" height="100%"'), 'image/svg+xml'],
    [
      'SVG whose size is after 8 KB',
      new TextEncoder().encode(`${' '.repeat(9_000)}<svg viewBox="0 0 1 1">`),
      'image/svg+xml',
    ],
    ['GIF without a frame', gif(16, 9).subarray(0, 25), 'image/gif'],
    ['SVG in centimeters', svg('width="3cm" height="2cm"'), 'image/svg+xml'],
  ])('is unknown for %s', (_, bytes, mimeType) => expect(imageSizeOf(bytes, mimeType)).toBeNull())
})

test('changed bytes never throw, and have a plausible size or none', () => {
  const seeds = [png(9, 9), jpeg(9, 9), exifJpeg(9, 8, 6), gif(9, 9), webp(9, 9), avif(9, 9), svg('viewBox="0 0 1 1"')]
  const types = ['image/png', 'image/jpeg', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
  // A fixed sequence, so that a failure can be reproduced.
  let state = 1
  const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) % below
  for (let round = 0; round < 20_000; round++) {
    const kind = next(seeds.length)
    const bytes = seeds[kind]!.slice()
    for (let n = next(8); n >= 0; n--) bytes[next(bytes.length)] = [0, 1, 0x7f, 0x80, 0xff, next(256)][next(6)]!
    const size = imageSizeOf(bytes, types[kind]!)
    if (size !== null)
      expect([size.width, size.height].every((pixels) => Number.isInteger(pixels) && pixels > 0)).toBe(true)
  }
})
