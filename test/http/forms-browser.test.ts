import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { type Browser, chromium as browserType, type Page } from 'playwright-core'

import { JO } from '../identity/people.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { playwrightCookies } from './browser.ts'
import { newKeyIn } from './page-parts.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

describeChromium('forms in a browser', () => {
  let browser: Browser
  let service: SignInApp
  beforeAll(async () => {
    service = await startSignInApp({ env: { URLMETA_PLAN_FREE_KEYS: '5' } })
    browser = await browserType.launch({ executablePath: chromium! })
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  /** Opens a page, signed in. Returns the methods of the requests for pages. */
  async function visit(path: string, use: (page: Page) => Promise<void>): Promise<string[]> {
    await using context = await browser.newContext()
    await context.addCookies(await playwrightCookies(await service.signedIn(JO), service.base))
    const page = await context.newPage()
    const methods: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) methods.push(request.method())
    })
    await page.goto(service.base + path)
    await use(page)
    return methods
  }

  async function createKey(page: Page, name: string) {
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('.created').waitFor()
  }

  test('Reload and Back after creating a key request the page, and show the key no more', async () => {
    const methods = await visit('/keys', async (page) => {
      await createKey(page, 'reloaded')
      await page.reload()
      expect(await page.getByRole('link', { name: 'reloaded' }).count()).toBe(1)
      expect(await page.locator('.created').count()).toBe(0)
      await createKey(page, 'left')
      await page.getByRole('link', { name: 'Usage', exact: true }).click()
      await page.goBack()
      expect(await page.getByRole('link', { name: 'left' }).count()).toBe(1)
      expect(await page.locator('.created').count()).toBe(0)
    })
    expect(methods.filter((method) => method === 'POST')).toHaveLength(2)
  })

  test('after Back, the filter is that of the page', async () => {
    await visit('/usage/requests', async (page) => {
      await page.locator('#result').selectOption('cached')
      await page.waitForURL('**result=cached**')
      await page.goBack()
      await page.waitForURL('**/usage/requests')
      await page.waitForLoadState()
      expect(await page.locator('#result').inputValue()).toBe('all')
    })
  })

  test('a request is opened beside the list, with a URL for Reload and Back; where there is no room, as a page', async () => {
    const owner = await service.signedIn(JO)
    await owner.get('/keys')
    const key = newKeyIn(await owner.send('/keys', { name: 'log' }))!
    const idOf = async (path: string) => (await service.app.metadata(key, path)).headers.get('x-request-id')!
    const [older, newer] = [await idOf('/a'), await idOf('/b')]
    // The log is written once per second.
    while (!(await owner.get('/usage/requests')).body.includes(newer)) await Bun.sleep(50)
    const methods = await visit('/usage/requests?result=ok', async (page) => {
      await page.setViewportSize({ width: 1280, height: 800 })
      const opened = page.locator('#request')
      const shows = (id: string) => opened.getByText(id).waitFor()
      // Rows are links, also for the keyboard.
      await page.locator('.requests a').first().press('Enter')
      await shows(newer)
      await page.waitForURL(`**/usage/requests?result=ok&id=${newer}`)
      expect(await page.title()).toBe('Request · urlmeta')
      expect(await page.locator('.requests [aria-current]').count()).toBe(1)
      await page.locator('.requests a').nth(1).click()
      await shows(older)
      expect(await opened.getByRole('button', { name: 'Copy' }).isVisible()).toBe(true)
      await page.goBack()
      await shows(newer)
      await opened.getByRole('link', { name: 'Close' }).press('Enter')
      await opened.waitFor({ state: 'hidden' })
      await page.waitForURL('**/usage/requests?result=ok')
      // The focus is on the row of the closed request.
      expect(await page.evaluate('document.activeElement.search')).toContain(newer)
      await page.goBack()
      await shows(newer)
    })
    expect(methods).toEqual(['GET'])
    const navigations = await visit('/usage/requests?result=ok', async (page) => {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.locator('.requests a').first().click()
      await page.locator('#request').getByText(newer).waitFor()
      await page.waitForURL('**id=*')
      await page.reload()
      expect(await page.locator('#request').getByText(newer).isVisible()).toBe(true)
      expect(await page.locator('.requests').isVisible()).toBe(true)
      await page.setViewportSize({ width: 800, height: 800 })
      await page.getByRole('link', { name: 'Close' }).click()
      await page.locator('.requests a').nth(1).click()
      await page.locator('#request').getByText(older).waitFor()
      expect(await page.locator('.requests').isVisible()).toBe(false)
    })
    expect(navigations).toEqual(['GET', 'GET', 'GET', 'GET'])
  })

  test('the first invalid field has the focus, and Reload requests the page of the key', async () => {
    await visit('/keys', async (page) => {
      await createKey(page, 'invalid')
      await page.getByRole('link', { name: 'invalid' }).click()
      await page.locator('summary', { hasText: 'Restrictions' }).click()
      await page.getByLabel('Allowed hosts').fill('https://example.com/')
      await page.getByLabel('Allowed client addresses').fill('x')
      await page.getByRole('form', { name: 'Restrictions' }).getByRole('button').click()
      await page.locator('#addresses-error').waitFor()
      expect(await page.evaluate('document.activeElement.id')).toBe('hosts')
      await page.reload()
      expect(await page.getByLabel('Allowed hosts').inputValue()).toBe('')

      await page.locator('summary', { hasText: 'a new key with' }).click()
      await page.getByRole('button', { name: 'Rotate key' }).click()
      await page.locator('.created').waitFor()
      expect(new URL(page.url()).pathname).toMatch(/^\/keys\/[\w-]+$/)
      await page.reload()
      await page.getByText('Replaced by').waitFor()
    })
  })
})
