import { afterAll, beforeAll, expect, test } from 'bun:test'

import { type Browser, chromium as browserType, type Page } from 'playwright-core'

import { ASSETS } from '../../views/assets.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { startApp, type TestApp } from './app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const PAGES: Record<string, string> = {
  '/article': `<title>Northern lights</title><meta name=description content="Below -10 &amp;lt; img &gt; C">
    <meta property=og:image content=/image.gif><meta property=og:site_name content=Travel><link rel=icon href=/image.gif>`,
  '/arabic': '<title>أضواء الشمال</title><link rel=icon href=/missing.gif>',
  '/broken-image':
    '<title>Broken</title><meta property=og:image content=/missing.gif><link rel=icon href=/missing.gif>',
  '/untitled': '<meta name=description content="no title">',
}

/** A web page on an origin of its own that shows cards. */
function startSite(html: () => string) {
  return Bun.serve({ port: 0, hostname: 'localhost', fetch: () => new Response(html(), { headers: HTML }) })
}

describeChromium('a link card', () => {
  let browser: Browser
  let app: TestApp
  let site: ReturnType<typeof startSite>
  let key: string
  let html = ''

  beforeAll(async () => {
    site = startSite(() => `<!doctype html><script src="${app.url}/card.js"></script>${html}`)
    app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000', URLMETA_CORS_ORIGINS: `http://localhost:${site.port}` },
      origin(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/image.gif') return new Response(PIXEL, { headers: { 'content-type': 'image/gif' } })
        const page = PAGES[pathname]
        return page === undefined ? new Response('', { status: 404 }) : new Response(page, { headers: HTML })
      },
    })
    key = await app.createKey()
    browser = await browserType.launch({ executablePath: chromium! })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await site.stop(true)
    await app[Symbol.asyncDispose]()
  })

  /** Opens the site with this content, and reports what its scripts throw. */
  async function visit(content: string, use: (page: Page) => Promise<void>) {
    html = content
    await using context = await browser.newContext({ colorScheme: 'dark' })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`http://localhost:${site.port}/`)
    await use(page)
    expect(errors).toEqual([])
  }

  const card = (path: string, attributes = '') =>
    `<url-card href="${app.origin}${path}" data-key="${key}" ${attributes}></url-card>`

  /** Waits for the state of the only card, and returns the texts of its parts. */
  async function partsOf(page: Page, state: string) {
    await page.locator(`url-card[data-state=${state}]`).waitFor()
    return await page.locator('url-card').evaluate((element) =>
      [...element.shadowRoot!.querySelectorAll('[part]')].map((part) => {
        const { localName, textContent } = part
        return `${part.getAttribute('part')}: ${localName === 'img' ? part.getAttribute('src') : textContent}`
      }),
    )
  }

  /** A computed style of a part of the only card. */
  const styleOf = (page: Page, part: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('url-card').shadowRoot.querySelector('[part=${part}]')).${property}`,
    )

  test('shows title, description, image, site and icon as text', async () => {
    await visit(card('/article'), async (page) => {
      const parts = await partsOf(page, 'loaded')
      const image = `${app.origin}/image.gif`
      expect(parts.filter((part) => !/^(?:card|body|site):/.test(part))).toEqual([
        `image: ${image}`,
        `icon: ${image}`,
        'name: Travel',
        'title: Northern lights',
        'description: Below -10 &lt; img > C',
      ])
      const link = page.locator('url-card').getByRole('link')
      expect(await link.getAttribute('href')).toBe(`${app.origin}/article`)
    })
  })

  test('images that cannot be loaded disappear', async () => {
    await visit(card('/broken-image'), async (page) => {
      await partsOf(page, 'loaded')
      await page.waitForFunction(`document.querySelector('url-card').shadowRoot.querySelector('img') === null`)
    })
  })

  test('a text from right to left is displayed from the right', async () => {
    await visit(card('/arabic'), async (page) => {
      await partsOf(page, 'loaded')
      const direction = await styleOf(page, 'title', 'direction')
      expect(direction).toBe('rtl')
    })
  })

  test('follows the color scheme of its page', async () => {
    const backgroundOf = (page: Page) => styleOf(page, 'card', 'backgroundColor')
    await visit(`<style>:root { color-scheme: light dark }</style>${card('/article')}`, async (page) => {
      await partsOf(page, 'loaded')
      expect(await backgroundOf(page)).toBe('rgb(27, 30, 35)')
    })
    await visit(card('/article'), async (page) => {
      await partsOf(page, 'loaded')
      expect(await backgroundOf(page)).toBe('rgb(255, 255, 255)')
    })
  })

  test.each([
    ['a page that does not exist', () => card('/missing')],
    ['a page without a title', () => card('/untitled')],
    ['an unknown key', () => `<url-card href="${app.origin}/x" data-key="nonsense"></url-card>`],
    ['no key', () => `<url-card href="${app.origin}/x"></url-card>`],
  ])('%s: a plain link remains', async (_, content) => {
    await visit(content(), async (page) => {
      await partsOf(page, 'failed')
      const link = page.locator('url-card').getByRole('link')
      expect(await link.getAttribute('href')).toStartWith(app.origin)
    })
  })

  test('the content of the element is the plain link', async () => {
    const content = `<url-card href="${app.origin}/missing" data-key="${key}"><a href="/own">Own text</a></url-card>`
    await visit(content, async (page) => {
      await page.locator('url-card[data-state=failed]').waitFor()
      expect(await page.getByRole('link').allTextContents()).toEqual(['Own text'])
    })
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://', ''])('%p is not a link', async (href) => {
    await visit(`<url-card href="${href}" data-key="${key}"></url-card>`, async (page) => {
      await page.locator('url-card[data-state=failed]').waitFor({ state: 'attached' })
      expect(await page.locator('url-card').getByRole('link').count()).toBe(0)
    })
  })

  test('a page with several cards of one URL makes one request, and the next page makes none', async () => {
    const requestsFor = async () => {
      await app.logged({ route: '/v1/metadata', status: 200 })
      return app.log.filter(({ route, host }) => route === '/v1/metadata' && host !== undefined).length
    }
    await visit(card('/article').repeat(3), async (page) => {
      const loaded = page.locator('url-card[data-state=loaded]')
      await loaded.nth(2).waitFor()
      const before = await requestsFor()
      await page.reload()
      await loaded.nth(2).waitFor()
      expect(await requestsFor()).toBe(before)
    })
  })

  test('a card far below the window is loaded when it comes near', async () => {
    await visit(`<div style="height: 5000px"></div>${card('/article')}`, async (page) => {
      await page.locator('url-card[data-state=loading]').waitFor({ state: 'attached' })
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      await partsOf(page, 'loaded')
    })
  })

  test('a server of the page is asked instead, without a key', async () => {
    const content = `<url-card href="${app.origin}/article" data-endpoint="${app.url}/card/example?url="></url-card>`
    await visit(content, async (page) => {
      const request = page.waitForRequest(/\/card\/example/)
      await page.reload()
      expect((await request).headers()['x-api-key']).toBeUndefined()
    })
  })

  test('/card shows one', async () => {
    await using context = await browser.newContext()
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(`${app.url}/card`)
    expect(await partsOf(page, 'loaded')).toContain('title: An article')
    expect(errors).toEqual([])
  })

  test('another href loads another card', async () => {
    await visit(card('/article'), async (page) => {
      await partsOf(page, 'loaded')
      await page
        .locator('url-card')
        .evaluate((element, href) => element.setAttribute('href', href), `${app.origin}/arabic`)
      await page.getByText('أضواء الشمال').waitFor()
    })
  })
})

test('the script is smaller than 6 KB', () => {
  expect(ASSETS['/card.js'].content.length).toBeLessThan(6 * 1024)
})
