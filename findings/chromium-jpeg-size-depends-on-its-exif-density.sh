#!/usr/bin/env bash
# Chromium 156: a JPEG of 40 × 20 pixels has naturalWidth 20 if its Exif says 144 dpi and 20 × 10.
#
# Exif has a density (XResolution, YResolution), which cameras and drawing programs fill in for printers, and the size of the
# picture (PixelXDimension, PixelYDimension).
#
# Expected: naturalWidth and naturalHeight are the dimensions in the frame header of the JPEG, turned by the orientation.
# Seen: if the density and the size in Exif agree on a factor, here 144 / 72 = 40 / 20, both dimensions are divided by it, and
# the image is shown half as large (HTML Standard, "prepare an image for presentation"). A density alone, or one that does not
# agree, has no effect. Neither has the same Exif in a PNG.
#
# Needs Node 20.15 or later, npm and Debian's chromium-headless-shell or chromium. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund playwright-core@1.65.1 >/dev/null
cat >measure.mjs <<'JS'
import { crc32 } from 'node:zlib'
import { chromium } from 'playwright-core'

/** TIFF data, as in Exif, with a density in dpi and a size in pixels. */
function tiff(dpi, size) {
  const bytes = Buffer.alloc(128)
  let at = 0
  const short = (value) => (at = bytes.writeUInt16LE(value, at))
  const long = (value) => (at = bytes.writeUInt32LE(value, at))
  const entry = (tag, type, value) => {
    short(tag)
    short(type)
    long(1)
    long(value)
  }
  const RATIONALS = 96
  bytes.write('II*\0', 'latin1')
  at = 4
  long(8)
  short(size ? 4 : 3)
  entry(0x011a, 5, RATIONALS)
  entry(0x011b, 5, RATIONALS)
  entry(0x0128, 3, 2)
  if (size) {
    entry(0x8769, 4, 64)
    long(0)
    at = 64
    short(2)
    entry(0xa002, 4, size[0])
    entry(0xa003, 4, size[1])
  }
  long(0)
  at = RATIONALS
  long(dpi)
  long(1)
  return bytes
}

const args = process.getuid() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: process.argv[2], args })
console.error(`Chromium ${browser.version()}`)
const page = await browser.newPage()

/** A gray image of 40 × 20 pixels, encoded by Chromium. */
const encoded = async (type) => {
  const url = await page.evaluate((type) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 20 })
    canvas.getContext('2d').fillRect(0, 0, 40, 20)
    return canvas.toDataURL(type)
  }, type)
  return Buffer.from(url.split(',')[1], 'base64')
}
const jpeg = await encoded('image/jpeg')
function jpegWith(data) {
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), data])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)])
}
const png = await encoded('image/png')
function pngWith(data) {
  const content = Buffer.concat([Buffer.from('eXIf', 'latin1'), data])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  crc.writeUInt32BE(crc32(content))
  // Behind the header, which has 8 + 25 bytes.
  return Buffer.concat([png.subarray(0, 33), length, content, crc, png.subarray(33)])
}
for (const [what, type, bytes] of [
  ['JPEG without Exif', 'image/jpeg', jpeg],
  ['JPEG, 144 dpi', 'image/jpeg', jpegWith(tiff(144))],
  ['JPEG, 144 dpi and 20 x 10', 'image/jpeg', jpegWith(tiff(144, [20, 10]))],
  ['JPEG, 144 dpi and 40 x 20', 'image/jpeg', jpegWith(tiff(144, [40, 20]))],
  ['JPEG, 36 dpi and 80 x 40', 'image/jpeg', jpegWith(tiff(36, [80, 40]))],
  ['PNG, 144 dpi and 20 x 10', 'image/png', pngWith(tiff(144, [20, 10]))],
]) {
  const natural = await page.evaluate(async (url) => {
    const image = new Image()
    image.src = url
    await image.decode()
    return `${image.naturalWidth} x ${image.naturalHeight}`
  }, `data:${type};base64,${bytes.toString('base64')}`)
  console.log(`${what}: ${natural}`)
}
await browser.close()
JS
seen=$(node measure.mjs "$(command -v chromium-headless-shell || command -v chromium)")
printf '%s\n' "$seen"

# The output of Chromium 156.0.8078.108:
diff <(printf '%s\n' "$seen") - <<'EOF'
JPEG without Exif: 40 x 20
JPEG, 144 dpi: 40 x 20
JPEG, 144 dpi and 20 x 10: 20 x 10
JPEG, 144 dpi and 40 x 20: 40 x 20
JPEG, 36 dpi and 80 x 40: 80 x 40
PNG, 144 dpi and 20 x 10: 40 x 20
EOF
