#!/usr/bin/env bash
# Chromium 156: an SVG with viewBox="0 0 1200 630" and no width has naturalWidth 286 and naturalHeight 150.
#
# Drawing programs export SVGs with a viewBox only, and a preview checks the size of an image by naturalWidth.
#
# Expected: 1200 × 630, as for a bitmap, and as probe-image-size 7.5.0 says.
# Seen: a viewBox gives only the ratio. Without a width and a height, the image is made to fit into 300 × 150 pixels (CSS
# Images 3, "default object size"), also with width="100%". One of the two in pixels is enough for the natural size.
#
# Needs Node, npm and Debian's chromium-headless-shell or chromium. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund playwright-core@1.65.1 probe-image-size@7.5.0 >/dev/null
cat >measure.mjs <<'JS'
import { chromium } from 'playwright-core'
import probe from 'probe-image-size'

const args = process.getuid() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: process.argv[2], args })
console.error(`Chromium ${browser.version()}`)
const page = await browser.newPage()
for (const size of ['', 'width="100%" height="100%" ', 'width="1200" ', 'width="1200" height="630" ']) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}viewBox="0 0 1200 630"><circle r="300"/></svg>`
  const natural = await page.evaluate(async (url) => {
    const image = new Image()
    image.src = url
    await image.decode()
    return `${image.naturalWidth} x ${image.naturalHeight}`
  }, `data:image/svg+xml,${encodeURIComponent(svg)}`)
  const probed = probe.sync(Buffer.from(svg))
  console.log(`${size}viewBox: Chromium ${natural}, probe-image-size ${probed.width} x ${probed.height}`)
}
await browser.close()
JS
seen=$(node measure.mjs "$(command -v chromium-headless-shell || command -v chromium)")
printf '%s\n' "$seen"

# The output of Chromium 156.0.8078.108:
diff <(printf '%s\n' "$seen") - <<'EOF'
viewBox: Chromium 286 x 150, probe-image-size 1200 x 630
width="100%" height="100%" viewBox: Chromium 286 x 150, probe-image-size 1200 x 630
width="1200" viewBox: Chromium 1200 x 630, probe-image-size 1200 x 630
width="1200" height="630" viewBox: Chromium 1200 x 630, probe-image-size 1200 x 630
EOF
