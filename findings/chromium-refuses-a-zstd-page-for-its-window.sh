#!/usr/bin/env bash
# Chromium 156: a response of 40 bytes that was compressed by `zstd -22` cannot be read.
#
# A server compresses its files with zstd once, with the strongest level, and sends them with `Content-Encoding: zstd`.
#
# Expected: every client that sends `Accept-Encoding: zstd` can decode it. The window, the memory that decoding needs, cannot
# matter for a small page.
# Seen: the window is declared in the data. If the input comes from a pipe, it depends on the level and not on the content: 8 MB
# with -19, 128 MB with --ultra -22. Chromium accepts at most 8 MB (RFC 9659) and checks it before it decodes anything, so its
# fetch() fails for a page of any length. Bun's fetch accepts 128 MB, so a test without a browser passes. If zstd opens the
# file itself, it knows the size and declares no larger window, and the same page works.
#
# Needs Node, npm, zstd and Debian's chromium-headless-shell or chromium. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 playwright-core@1.65.1 >/dev/null
echo '<!doctype html><title>A small page</title>' >page.html
zstd --quiet -19 <page.html >level-19-pipe
zstd --quiet --ultra -22 <page.html >level-22-pipe
zstd --quiet --ultra -22 page.html -o level-22-file
cat >serve.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const server = createServer(({ url }, response) => {
  const isCompressed = url !== '/'
  response.writeHead(200, { 'content-type': 'text/html', ...(isCompressed && { 'content-encoding': 'zstd' }) })
  response.end(isCompressed ? readFileSync(`.${url}`) : '')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const args = process.getuid() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: process.argv[2], args })
console.error(`Chromium ${browser.version()}`)
const page = await browser.newPage()
await page.goto(origin)
async function read(url) {
  try {
    return await (await fetch(url)).text()
  } catch (error) {
    return error.message
  }
}
for (const name of ['level-19-pipe', 'level-22-pipe', 'level-22-file']) {
  const url = `${origin}/${name}`
  console.log(`${name}: Chromium: ${(await page.evaluate(read, url)).trim()}; Bun: ${(await read(url)).trim()}`)
}
await browser.close()
process.exit(0)
JS
seen=$(./node_modules/.bin/bun serve.mjs "$(command -v chromium-headless-shell || command -v chromium)")
printf '%s\n' "$seen"

# The output of Chromium 156.0.8078.108 with zstd 1.5.4 and Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
level-19-pipe: Chromium: <!doctype html><title>A small page</title>; Bun: <!doctype html><title>A small page</title>
level-22-pipe: Chromium: Failed to fetch; Bun: <!doctype html><title>A small page</title>
level-22-file: Chromium: <!doctype html><title>A small page</title>; Bun: <!doctype html><title>A small page</title>
EOF
