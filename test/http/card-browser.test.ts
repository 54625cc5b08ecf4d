import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { type Browser, chromium as browserType, type Page } from 'playwright-core'

import { ASSETS } from '../../views/assets.ts'
import { withinMinute } from '../clock-minute.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { openTestProxy, type TestProxy } from '../origin/egress-proxy.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { isThorough } from '../thorough.ts'
import { startApp, type TestApp } from './app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A public address, because keys in pages allow no other. Its connections end at the origin of the test. */
const PUBLIC = 'http://93.184.215.14'

const PAGES: Record<string, string> = {
  '/article': `<title>Northern lights</title><meta name=description content="Below -10 &amp;lt; img &gt; C">
    <meta property=og:image content=/image.gif><meta property=og:site_name content=Travel><link rel=icon href=/image.gif>`,
  '/arabic':
    '<title>أضواء الشمال</title><meta property=og:site_name content="أخبار السفر"><link rel=icon href=/missing.gif>',
  '/broken-image':
    '<title>Broken</title><meta property=og:image content=/missing.gif><link rel=icon href=/missing.gif>',
  '/untitled': '<meta name=description content="no title">',
}

/** A web page on an origin of its own that shows cards. */
function startSite(html: () => string, headers: Record<string, string> = HTML) {
  return Bun.serve({ port: 0, hostname: 'localhost', fetch: () => new Response(html(), { headers }) })
}

let browser: Browser
beforeAll(async () => {
  if (chromium !== null) browser = await browserType.launch({ executablePath: chromium })
}, PATIENT_TEST_MS)
afterAll(() => browser?.close())

describeChromium('a link card', () => {
  let app: TestApp
  let proxy: TestProxy
  let site: ReturnType<typeof startSite>
  let otherSite: ReturnType<typeof startSite>
  /** Limited to the origin of the site. */
  let key: string
  let html = ''

  beforeAll(async () => {
    const content = () => `<!doctype html><script src="${app.url}/card.js"></script>${html}`
    site = startSite(content)
    otherSite = startSite(content)
    proxy = await openTestProxy({
      kind: 'http',
      addressOf: () => '127.0.0.1',
      portOf: () => Number(new URL(app.origin).port),
    })
    app = await startApp({
      env: {
        URLMETA_PLAN_FREE_PER_MINUTE: '1000',
        URLMETA_PLAN_FREE_KEYS: '9',
        URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
      },
      origin(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/image.gif') return new Response(PIXEL, { headers: { 'content-type': 'image/gif' } })
        const page = PAGES[pathname]
        return page === undefined ? new Response('', { status: 404 }) : new Response(page, { headers: HTML })
      },
    })
    key = await createKey()
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await site.stop(true)
    await otherSite.stop(true)
    await proxy[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  })

  const createKey = () => app.createKey('jo@example.com', { allowedOrigins: [`http://localhost:${site.port}`] })

  /** Opens a site with this content, and reports what its scripts throw. */
  async function visit(content: string, use: (page: Page) => Promise<void>, { port } = site) {
    html = content
    await using context = await browser.newContext({ colorScheme: 'dark' })
    await context.route(`${PUBLIC}/**`, async (route) => {
      const response = await fetch(app.origin + new URL(route.request().url()).pathname)
      await route.fulfill({ status: response.status, body: Buffer.from(await response.arrayBuffer()) })
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`http://localhost:${port}/`)
    await use(page)
    // Otherwise the last requests would fail when the app ends.
    await context.unrouteAll({ behavior: 'wait' })
    expect(errors).toEqual([])
  }

  const card = (path: string, attributes = '', cardKey = key) =>
    `<url-card href="${PUBLIC}${path}" data-key="${cardKey}" ${attributes}></url-card>`

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

  /** The statuses of requests by the page, or the name of an error. */
  const statusesIn = (page: Page, count: number, ownKey: string) =>
    page.evaluate(
      async ({ url, headers, length }) => {
        const statuses: (number | string)[] = []
        while (statuses.length < length) {
          const response = await fetch(url, { headers }).catch((error: Error) => ({ status: error.name }))
          statuses.push(response.status)
        }
        return statuses
      },
      {
        url: `${app.url}/v1/metadata?url=${PUBLIC}/article`,
        headers: { 'x-api-key': ownKey },
        length: count,
      },
    )

  /** A computed style of a part of the only card. */
  const styleOf = (page: Page, part: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('url-card').shadowRoot.querySelector('[part=${part}]')).${property}`,
    )

  test('asks its own server, even if an element of the page is named currentScript', async () => {
    const clobbered = () =>
      `<!doctype html><img name=currentScript src="data:,"><script src="${app.url}/card.js"></script>${html}`
    const own = startSite(clobbered)
    const ownKey = await app.createKey('jo@example.com', { allowedOrigins: [`http://localhost:${own.port}`] })
    await visit(
      card('/article', '', ownKey),
      async (page) => expect(await partsOf(page, 'loaded')).toContain('title: Northern lights'),
      own,
    )
    await own.stop(true)
  })

  test('shows title, description, image, site and icon as text', async () => {
    await visit(card('/article'), async (page) => {
      const parts = await partsOf(page, 'loaded')
      const image = `${PUBLIC}/image.gif`
      expect(parts.filter((part) => !/^(?:card|body|site):/.test(part))).toEqual([
        `image: ${image}`,
        `icon: ${image}`,
        'name: Travel',
        'title: Northern lights',
        'description: Below -10 &lt; img > C',
      ])
      const link = page.locator('url-card').getByRole('link')
      expect(await link.getAttribute('href')).toBe(`${PUBLIC}/article`)
    })
  })

  test('with data-metadata, shows it as text, and requests nothing', async () => {
    const metadata = { title: '<b>Given</b>', image: 'javascript:alert(1)', site_name: 'Site' }
    const attributes = `data-metadata='${JSON.stringify(metadata)}'`
    await visit(`<url-card href="${PUBLIC}/given" ${attributes}></url-card>`, async (page) => {
      const parts = await partsOf(page, 'loaded')
      expect(parts.filter((part) => !/^(?:card|body|site):/.test(part))).toEqual(['name: Site', 'title: <b>Given</b>'])
      expect(app.requestCounts.get('/given')).toBeUndefined()
    })
    await visit(`<url-card href="${PUBLIC}/given" data-metadata="{"></url-card>`, async (page) => {
      expect(await partsOf(page, 'failed')).toEqual([`link: ${PUBLIC}/given`])
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
      const [body, name] = await page
        .locator('url-card')
        .evaluate((element) =>
          ['body', 'name'].map(
            (part) => element.shadowRoot!.querySelector(`[part=${part}]`)!.getBoundingClientRect().right,
          ),
        )
      // The padding is 14 px. The icon cannot be loaded, so the name starts the line.
      expect(body! - name!).toBeWithin(14, 15)
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
    ['a key without origins', async () => card('/article').replace(key, await app.createKey())],
    ['no key', () => `<url-card href="${app.origin}/x"></url-card>`],
  ])('%s: a plain link remains', async (_, content) => {
    await visit(await content(), async (page) => {
      await partsOf(page, 'failed')
      const link = page.locator('url-card').getByRole('link')
      expect(await link.getAttribute('href')).toMatch(/^http:\/\/(?:127\.0\.0\.1:|93\.184\.215\.14\/)/)
    })
  })

  test('a page of another origin shows a plain link, and cannot read why', async () => {
    const use = async (page: Page) => {
      await partsOf(page, 'failed')
      expect(await statusesIn(page, 1, key)).toEqual(['TypeError'])
    }
    await visit(card('/article'), use, otherSite)
    expect(await app.logged({ outcome: 'origin_not_allowed' })).toMatchObject({ status: 403, method: 'GET' })
  })

  test('without a browser the key is of no use', async () => {
    expect((await app.metadata(key, '/article')).status).toBe(403)
  })

  test('a visitor gets 30 responses a minute, and the page can read the error', async () => {
    await visit('', async (page) => {
      const ownKey = await createKey()
      await withinMinute(20)
      expect(await statusesIn(page, 31, ownKey)).toEqual([...Array.from({ length: 30 }, () => 200), 429])
    })
  })

  test('the examples in /docs/cards work', async () => {
    await visit('', async (page) => {
      await page.goto(`${app.url}/docs/cards`)
      const examples = await page.locator('code.language-html').allTextContents()
      html = examples
        .join('')
        .replaceAll('urlmeta_live_…', key)
        .replaceAll('https://example.com/article', `${PUBLIC}/article`)
      const logged = page.waitForEvent('console')
      await page.goto(`http://localhost:${site.port}/`)
      expect(await partsOf(page, 'loaded')).toContain('title: Northern lights')
      expect(await (await logged).args()[0]!.jsonValue()).toMatchObject({ title: 'Northern lights' })
    })
  })

  test('the content of the element is the plain link', async () => {
    const content = `<url-card href="${PUBLIC}/missing" data-key="${key}"><a href="/own">Own text</a></url-card>`
    await visit(content, async (page) => {
      await page.locator('url-card[data-state=failed]').waitFor()
      expect(await page.getByRole('link').allTextContents()).toEqual(['Own text'])
    })
  })

  test('a line break in the element does not hide the plain link', async () => {
    await visit(`<url-card href="${app.origin}/missing" data-key="${key}">\n</url-card>`, async (page) => {
      await page.locator('url-card[data-state=failed]').waitFor()
      expect(await page.getByRole('link').first().isVisible()).toBe(true)
    })
  })

  test('a key that is replaced while a request with the old one runs', async () => {
    await visit(card('/article').replace(key, 'nonsense'), async (page) => {
      const replaced = Promise.withResolvers<void>()
      await page.route('**/v1/metadata?**', async (route) => {
        if (route.request().headers()['x-api-key'] === 'nonsense') await replaced.promise
        await route.continue()
      })
      const requested = page.waitForRequest('**/v1/metadata?**')
      await page.reload()
      await requested
      await page.locator('url-card').evaluate((element, own) => (element.dataset['key'] = own), key)
      await partsOf(page, 'loaded')
      const refused = page.waitForResponse((response) => response.status() === 401)
      replaced.resolve()
      await refused
      await partsOf(page, 'loaded')
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

  const manyCards = isThorough ? 10_000 : 1_000
  test(`of ${manyCards} cards, only those near the window are loaded`, async () => {
    // A key of its own, because it uses up the requests of a visitor.
    const ownKey = await createKey()
    const cards = Array.from({ length: manyCards }, (_, i) => card(`/article?${i}`, '', ownKey))
    const requested: string[] = []
    await visit('', async (page) => {
      page.on('request', (request) => request.url().includes('/v1/metadata') && requested.push(request.url()))
      await page.setContent(`<script src="${app.url}/card.js"></script>${cards.join('\n')}`)
      // The observer reports all cards that are near the window at once.
      await page.locator('url-card[data-state=loaded], url-card[data-state=failed]').first().waitFor()
      expect(await page.locator('url-card').count()).toBe(manyCards)
      // A window of 720 pixels and 300 on either side have no more lines of text.
      expect(requested.length).toBeWithin(1, 100)
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

  test('the script can be checked, and loaded by a page that is isolated from other origins', async () => {
    const script = await (await fetch(`${app.url}/card.js`)).text()
    const hash = new Bun.CryptoHasher('sha384').update(script).digest('base64')
    await using context = await browser.newContext()
    const page = await context.newPage()
    for (const attributes of ['', `crossorigin integrity="sha384-${hash}"`]) {
      await using isolated = startSite(
        () => `<!doctype html><script src="${app.url}/card.js" ${attributes}></script>`,
        { ...HTML, 'cross-origin-embedder-policy': 'require-corp' },
      )
      await page.goto(isolated.url.href)
      expect(await page.evaluate<string>("typeof customElements.get('url-card')")).toBe('function')
    }
  })

  test('another href loads another card', async () => {
    await visit(card('/article'), async (page) => {
      await partsOf(page, 'loaded')
      await page.locator('url-card').evaluate((element, href) => element.setAttribute('href', href), `${PUBLIC}/arabic`)
      await page.getByText('أضواء الشمال').waitFor()
    })
  })
})

describeChromium('a link card with the image proxy', () => {
  test(
    'draws images of http sites on an https page, and the browser contacts none of them',
    async () => {
      await using stack = new AsyncDisposableStack()
      const proxy = stack.use(
        await openTestProxy({
          kind: 'http',
          addressOf: () => '127.0.0.1',
          portOf: () => Number(new URL(app.origin).port),
        }),
      )
      const app: TestApp = stack.use(
        await startApp({
          env: { URLMETA_IMAGE_PROXY: 'on', URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` },
          origin: ({ url }) =>
            url.endsWith('.gif')
              ? new Response(PIXEL, { headers: { 'content-type': 'image/gif' } })
              : new Response(PAGES['/article'], { headers: HTML }),
        }),
      )
      let html = ''
      const { good } = await makeCertificates(['localhost'])
      const site = Bun.serve({
        port: 0,
        hostname: 'localhost',
        tls: good,
        fetch: () => new Response(html, { headers: HTML }),
      })
      stack.defer(() => site.stop(true))
      const origin = `https://localhost:${site.port}`
      const key = await app.createKey('jo@example.com', { allowedOrigins: [origin] })
      html = `<!doctype html><link rel="icon" href="data:,"><script src="${app.url}/card.js"></script>
      <url-card href="${PUBLIC}/article" data-key="${key}"></url-card>`

      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      const requested = new Set<string>()
      page.on('request', (request) => requested.add(new URL(request.url()).origin))
      await page.goto(origin)
      const images = page.locator('url-card[data-state=loaded] img')
      await images.nth(1).waitFor()
      await page.waitForFunction(
        `[...document.querySelector('url-card').shadowRoot.querySelectorAll('img')].every((image) => image.naturalWidth === 1)`,
      )
      expect(await images.count()).toBe(2)
      const own = app.url.replace('127.0.0.1', 'localhost')
      expect(requested).toEqual(new Set([origin, app.url, own]))
      expect(await images.first().getAttribute('src')).toStartWith(`${own}/v1/image?url=http`)
    },
    PATIENT_TEST_MS,
  )
})

test('the script is smaller than 6 KB', () => {
  expect(ASSETS['/card.js'].content.length).toBeLessThan(6 * 1024)
})
