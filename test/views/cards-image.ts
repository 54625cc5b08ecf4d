// Writes docs/cards.webp, the picture in README.md: the cards of six apps for the same page, as the playground draws them.
// usage: bun test/views/cards-image.ts      (needs a Chromium)
import { join } from 'node:path'

import { chromium as browserType } from 'playwright-core'

import { chromium } from '../requirements.ts'
import { servePreview } from './preview.ts'

const FILE = join(import.meta.dir, '../../docs/cards.webp')

/** In rows of three, cards of similar heights beside each other. */
const APPS = ['x', 'facebook', 'linkedin', 'slack', 'discord', 'whatsapp']

/** Twice as many pixels, for screens that have them. */
const SCALE = 2
const WIDTH = 1080
/** The smallest at which letters have no visible noise around them. */
const QUALITY = 85

/** Only the name of each app and its card. */
const STYLE = `
  body { min-height: 0; padding: 24px; background: #fcfcfd }
  ul.previews { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; align-items: start; margin: 0 }
  li > :not(h3, .card), h3 .badge { display: none }
`

if (chromium === null) throw new Error('The image requires Chromium')
const server = servePreview()
const browser = await browserType.launch({ executablePath: chromium })
const page = await browser.newPage({ viewport: { width: WIDTH, height: 600 }, deviceScaleFactor: SCALE })
await page.goto(`${server.url.href}playground`)
await page.evaluate(`{
  const list = document.createElement('ul')
  list.className = 'previews'
  for (const app of ${JSON.stringify(APPS)}) list.append(document.querySelector('.previews .card.' + app).closest('li'))
  document.body.replaceChildren(list)
  const style = new CSSStyleSheet()
  style.replaceSync(${JSON.stringify(STYLE)})
  document.adoptedStyleSheets.push(style)
  for (const image of document.images) image.loading = 'eager'
}`)
await page.waitForFunction('Array.from(document.images).every(({ complete }) => complete)')
const screenshot = await page.locator('body').screenshot()
await new Bun.Image(screenshot).webp({ quality: QUALITY }).write(FILE)
await browser.close()
await server.stop(true)
