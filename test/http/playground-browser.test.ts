import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { type Browser, chromium as browserType, type Page } from 'playwright-core'

import { JO } from '../identity/people.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { playwrightCookies } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PAGE = '<!doctype html><title>Northern lights</title><meta name="description" content="Six places.">'

/** Longer than two lines of a narrow card, and shorter than two lines of any card can be. */
const LONG_TITLE = 'Where to find the northern lights in winter, and how to get there without a car, a guide or a plan'
const LONG_PAGE = `<!doctype html><title>${LONG_TITLE}</title><meta property="og:image" content="/missing.png">`

setDefaultTimeout(PATIENT_TEST_MS)

describeChromium('the playground in a browser', () => {
  let browser: Browser
  let service: SignInApp
  const hanging = { requested: Promise.withResolvers<void>(), stopped: Promise.withResolvers<void>() }
  beforeAll(async () => {
    service = await startSignInApp({
      env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
      async origin(request) {
        if (request.url.endsWith('/hanging')) {
          hanging.requested.resolve()
          await hanging.stopped.promise
        }
        if (request.url.endsWith('.png')) return new Response(null, { status: 404 })
        return new Response(request.url.endsWith('/long') ? LONG_PAGE : PAGE, { headers: HTML })
      },
    })
    browser = await browserType.launch({ executablePath: chromium! })
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  /** Opens the playground, signed in. */
  async function visit(use: (page: Page) => Promise<void>, hasScript = true) {
    await using context = await browser.newContext({ javaScriptEnabled: hasScript })
    await context.addCookies(await playwrightCookies(await service.signedIn(JO), service.base))
    const page = await context.newPage()
    await page.goto(`${service.base}/playground`)
    await use(page)
  }

  async function submit(page: Page, url: string) {
    await page.getByLabel('URL').fill(url)
    await page.getByRole('button', { name: 'Fetch', exact: true }).click()
  }

  const tab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Result' }).getByRole('link', { name: new RegExp(`^${name}`) })

  /** Without the number of problems. */
  const openTab = async (page: Page) =>
    (await page.locator('.result .tabs [aria-current]').textContent())?.trim().split(' ')[0]

  test('a result can be reloaded and reached by Back without another request', async () => {
    await visit(async (page) => {
      await submit(page, 'ftp://example.com')
      await page.getByText('must start with http:// or https://').waitFor()
      await submit(page, `${service.app.origin}/history`)
      await page.locator('.outcome').waitFor()
      await tab(page, 'JSON').click()
      await page.locator('.result .code').waitFor()

      await page.reload()
      expect(await openTab(page)).toBe('JSON')
      await page.getByRole('link', { name: 'Keys', exact: true }).click()
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
      await page.goBack()
      expect(await openTab(page)).toBe('JSON')
      await page.goBack()
      expect(await openTab(page)).toBe('Previews')
      await page.goBack()
      await page.getByText('must start with http:// or https://').waitFor()
      expect(service.app.requestCounts.get('/history')).toBe(1)
    })
  })

  test('without JavaScript the tabs and the options work', async () => {
    await visit(async (page) => {
      await page.getByText('Options').click()
      await page.getByLabel('Bypass cache').check()
      await submit(page, `${service.app.origin}/plain`)
      for (const [name, content] of [
        ['Checks', '.result .checks'],
        ['JSON', '.result .code'],
        ['Sources', '.sources'],
        ['Timing', '.timing'],
        ['Embed', 'url-card'],
        ['Code', '.langs'],
        ['Previews', '.previews'],
      ] as const) {
        await tab(page, name).click()
        await page.locator(content).waitFor()
        expect(await openTab(page)).toBe(name)
        expect(await page.locator('.result > div').count()).toBe(1)
      }
    }, false)
  })

  test('the tab Embed shows the card of the page, whatever its URL', async () => {
    await visit(async (page) => {
      const url = `${service.app.origin}/a"b'/日本?q="><b>&copy=1&r={x}`
      await submit(page, url)
      await tab(page, 'Embed').click()
      const card = page.locator('url-card[data-state=loaded]')
      await card.waitFor()
      expect(await card.locator('[part~=title]').innerText()).toBe('Northern lights')
      expect(await card.getByRole('link').getAttribute('href')).toBe(new URL(url).href)
      const html = await page.locator('.langs pre').first().innerText()
      await page.evaluate(`globalThis.copied = new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')`)
      const copied = await page.evaluate<string>("copied.querySelector('url-card').getAttribute('href')")
      expect(new URL(copied).href).toBe(new URL(url).href)
      expect(await page.evaluate<number>("copied.querySelectorAll('b').length")).toBe(0)
    })
  })

  test('edited tags change the cards while the user types, and are kept after a reload', async () => {
    await visit(async (page) => {
      await submit(page, `${service.app.origin}/edited`)
      const title = () => page.locator('.card.facebook .t').textContent()
      await page.locator('.card.facebook .t').waitFor()
      expect(await title()).toBe('Northern lights')
      await page.getByText('Edit tags', { exact: true }).click()
      await page.getByText('HTML', { exact: true }).click()
      const problems = () => page.locator('.tabs .badge').textContent()
      const before = await problems()
      await page.locator('textarea[name=tags]').fill('<meta property="og:title" content="Southern lights">')
      await page.locator('.card.facebook').getByText('Southern lights').waitFor()
      expect(await problems()).not.toBe(before)
      await page.reload()
      expect(await title()).toBe('Southern lights')
      await page.getByRole('button', { name: 'Discard edits' }).click()
      await page.locator('.card.facebook').getByText('Northern lights').waitFor()
      expect(service.app.requestCounts.get('/edited')).toBe(1)
    })
  })

  test.each([true, false])('one click shows the cards with the corrected tags: script %p', async (hasScript) => {
    await visit(async (page) => {
      await submit(page, `${service.app.origin}/corrected`)
      const card = page.locator('#card-x')
      await card.getByText('needs og:title and twitter:card').waitFor()
      await page.getByText('Edit tags', { exact: true }).click()
      const buttons = () => page.locator('.editor .actions').getByRole('button').allInnerTexts()
      expect(await buttons()).toEqual(['Update cards'])
      await page.getByText('Corrected tags', { exact: true }).click()
      expect(await buttons()).toEqual(['Preview these tags'])
      await page.getByRole('button', { name: 'Preview these tags' }).click()
      await card.locator('.card.x .t').getByText('Northern lights').waitFor()
      await page.getByText('These cards show your edited tags.').waitFor()
      expect(await page.locator('#tags').inputValue()).toContain('<meta property="og:title" content="Northern lights">')
      if (hasScript) expect(await page.locator(':focus').innerText()).toBe('Preview these tags')
    }, hasScript)
  })

  test('Enter in a field updates the cards with the field, not with the corrected tags', async () => {
    await visit(async (page) => {
      await submit(page, `${service.app.origin}/enter`)
      await page.getByText('Edit tags', { exact: true }).click()
      await page.locator('#title').fill('Southern lights')
      await page.keyboard.press('Enter')
      await page.locator('.card.facebook').getByText('Southern lights').waitFor()
      expect(await page.locator('#tags').inputValue()).not.toContain('og:type')
    }, false)
  })

  test.each([
    [true, 'Text only, image not shown, title cut'],
    [false, 'Text only, image not shown'],
  ])('the script measures titles, also of cards without their image: script %p', async (hasScript, expected) => {
    await visit(async (page) => {
      await submit(page, `${service.app.origin}/long`)
      const mark = page.locator('#app-marks a[href="#card-whatsapp"]')
      expect(await mark.locator('span').innerText()).toBe(expected)
      expect(await mark.getAttribute('data-state')).toBe('cut')
      // Measured as well, and wider.
      expect(await page.locator('#app-marks a[href="#card-bluesky"] span').innerText()).toBe(
        'Text only, image not shown',
      )
    }, hasScript)
  })

  test('after loading was stopped, another page can be fetched', async () => {
    await visit(async (page) => {
      const devTools = await page.context().newCDPSession(page)
      await page.getByLabel('URL').fill(`${service.app.origin}/hanging`)
      await page.keyboard.press('Enter')
      await hanging.requested.promise
      // Like the button of the browser.
      await devTools.send('Page.stopLoading')
      hanging.stopped.resolve()
      await submit(page, `${service.app.origin}/another`)
      await page.locator('.outcome').waitFor()
      expect(service.app.requestCounts.get('/another')).toBe(1)
    })
  })

  test('the page opens in a new tab, beside the result', async () => {
    await visit(async (page) => {
      await submit(page, `${service.app.origin}/opened`)
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: 'Open the page' }).click()
      const newPage = await opened
      expect(newPage.url()).toBe(`${service.app.origin}/opened`)
      expect(await newPage.evaluate<boolean>('opener === null')).toBe(true)
      expect(await openTab(page)).toBe('Previews')
    })
  })
})
