// Writes views/social-image.png, the og:image of the pages. Committed, so that a build needs no browser.
// usage: bun test/views/social-image.ts      (needs a Chromium)
import { join } from 'node:path'

import { chromium as browserType } from 'playwright-core'

import { chromium } from '../requirements.ts'

const FILE = join(import.meta.dir, '../../views/social-image.png')

/** The size that apps show without cropping: 1.91:1. The same numbers are in views/shell.tsx. */
const SIZE = { width: 1200, height: 630 }

const JSON_LINES = [
  ['title', 'The northern lights'],
  ['description', 'Six places to see …'],
  ['image', 'https://example.com/a.jpg'],
  ['site_name', 'Example Travel'],
  ['type', 'article'],
  ['locale', 'en_GB'],
]

/** Plain colors and no gradients, so that the file is small. */
const PAGE = `<!doctype html>
<style>
  * { box-sizing: border-box; margin: 0 }
  body { display: grid; grid-template-columns: 1fr 540px; gap: 56px; align-items: center; height: 630px; padding: 0 72px; background: #0e1b3d; color: #fff; font: 28px/1.4 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif }
  .brand { display: flex; align-items: center; gap: 18px; margin-bottom: 40px; font-weight: 700; font-size: 34px }
  h1 { font-size: 54px; line-height: 1.15; letter-spacing: -0.02em }
  .lead { margin-top: 28px; color: #b9c7ee }
  pre { padding: 32px; border-radius: 20px; background: #14254f; font: 20px/1.75 Menlo, Consolas, 'Liberation Mono', monospace; white-space: pre-wrap; overflow-wrap: anywhere; color: #9fe3c0 }
  b { color: #8fb2ff; font-weight: 400 }
  i { color: #b9c7ee; font-style: normal }
</style>
<div>
  <p class="brand">
    <svg viewBox="0 0 32 32" width="56" height="56"><rect width="32" height="32" rx="7" fill="#2456e6"/><path fill="#fff" d="M8 7h16a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM6 20h14v2.5H6zM6 24.5h9V27H6z"/></svg>
    urlmeta
  </p>
  <h1>Metadata for<br>any URL, as JSON</h1>
  <p class="lead">Titles, descriptions, images and more, for link previews, bookmarks and feeds.</p>
</div>
<pre><i>{</i>
${JSON_LINES.map(([name, value]) => `  <b>"${name}"</b><i>:</i> "${value}"`).join('<i>,</i>\n')}
<i>}</i></pre>`

if (chromium === null) throw new Error('The image requires Chromium')
const browser = await browserType.launch({ executablePath: chromium })
const page = await browser.newPage({ viewport: SIZE })
await page.setContent(PAGE)
await page.screenshot({ path: FILE })
await browser.close()
