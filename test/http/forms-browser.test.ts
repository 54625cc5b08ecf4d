import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { type Browser, chromium as browserType, type Page } from 'playwright-core'

import { JO } from '../identity/people.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { playwrightCookies } from './browser.ts'
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
      await page.locator('#cache').selectOption('HIT')
      await page.waitForURL('**cache=HIT**')
      await page.goBack()
      await page.waitForURL('**/usage/requests')
      await page.waitForLoadState()
      expect(await page.locator('#cache').inputValue()).toBe('all')
    })
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
