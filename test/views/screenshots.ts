// Writes screenshots of every page to docs/screenshots: light, dark, and at phone width.
// usage: bun test/views/screenshots.ts      (needs a Chromium)
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { chromium as browserType } from 'playwright-core'

import { chromium } from '../requirements.ts'
import { servePreview } from './preview.ts'

const FOLDER = join(import.meta.dir, '../../docs/screenshots')

/** One state of each page. */
const PAGES = [
  'landing',
  'sign-in',
  'overview',
  'keys',
  'key',
  'usage',
  'requests',
  'playground',
  'docs',
  'account',
  'admin-users',
  'admin-health',
] as const

const VARIANTS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1120, height: 760 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1120, height: 760 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 375, height: 760 } },
] as const

if (chromium === null) throw new Error('Screenshots require Chromium')
await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const server = servePreview()
const browser = await browserType.launch({ executablePath: chromium })
for (const { name: variant, colorScheme, viewport } of VARIANTS) {
  await using context = await browser.newContext({ colorScheme, viewport })
  const page = await context.newPage()
  for (const name of PAGES) {
    await page.goto(server.url.href + name)
    await page.screenshot({ path: join(FOLDER, `${name}-${variant}.png`) })
  }
}
await browser.close()
await server.stop(true)
