import { afterAll, beforeAll, expect, test } from 'bun:test'

import { type Browser, type BrowserContext, chromium as browserType, type Page } from 'playwright-core'

import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { type GithubEnterprise, startGithubEnterprise } from './identity/github-enterprise.ts'
import { type OidcIssuer, startOidc } from './identity/oidc.ts'
import { createBrowser, playwrightCookies } from './http/browser.ts'
import { signInBy } from './http/sign-in-app.ts'
import { ANN, JO, OPERATOR, type Person, signInEnv } from './identity/people.ts'
import { chromium, describeChromium } from './requirements.ts'
import { until } from './site.ts'
import { typicalCases, whenThorough } from './thorough.ts'
import { PATIENT_BROWSER_MS } from './patience.ts'

/** A red dot of 5 by 5 pixels. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
  'base64',
)

const HOSTILE = '<script>document.title="taken"</script>'

const PAGES: Record<string, string> = {
  '/article': `<title>An article</title><meta property="og:title" content="What the article is called">
    <meta property="og:description" content="${HOSTILE.replaceAll('"', '&quot;')}"><meta property="og:image" content="/picture.png">`,
  '/shell': `<title>Loading</title><div id="root"></div><script>
    document.title = 'Drawn by a script'
    document.getElementById('root').textContent = 'Here it is. '.repeat(40)</script>`,
}

const PHONE = { width: 375, height: 740 }
const DESK = { width: 1280, height: 800 }

describeChromium('the dashboard, in a browser', () => {
  /** The messages that the webhook received. */
  const hooks: unknown[] = []
  const origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/hook') {
        hooks.push(await request.json())
        return new Response('ok')
      }
      const page = PAGES[pathname]
      if (page !== undefined) return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } })
      return pathname === '/picture.png' ? new Response(PICTURE) : new Response(null, { status: 404 })
    },
  })
  let workspace: Workspace
  let github: GithubEnterprise
  let oidc: OidcIssuer
  let service: Service
  let base: string
  let browser: Browser

  beforeAll(async () => {
    workspace = openWorkspace()
    github = startGithubEnterprise()
    oidc = await startOidc()
    service = await workspace.serve({
      URLMETA_CHROMIUM: 'auto',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
      ...signInEnv(github, oidc),
      URLMETA_ADMIN_EMAILS: OPERATOR.email,
    })
    base = service.url.replace('127.0.0.1', 'localhost')
    oidc.open(`${base}/sign-in/google/callback`)
    browser = await browserType.launch({ executablePath: chromium! })
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    await workspace?.[Symbol.asyncDispose]()
    await oidc?.[Symbol.asyncDispose]()
    github?.[Symbol.dispose]()
    await origin.stop(true)
  })

  interface Visit extends AsyncDisposable {
    page: Page
    context: BrowserContext
    /** Requests to origins other than the service and the providers, and errors on pages. */
    complaints: string[]
  }

  async function visit(viewport = DESK): Promise<Visit> {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENT_BROWSER_MS)
    const complaints: string[] = []
    const known = [base, github.url, oidc.issuer]
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && page.url().startsWith(base)) complaints.push(message.text())
    })
    page.on('request', (request) => {
      if (!known.some((one) => request.url().startsWith(`${one}/`))) complaints.push(request.url())
    })
    return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() }
  }

  /** Signs in by clicking the buttons. */
  async function signIn(page: Page, person: Person, by: 'github' | 'google' = 'github') {
    await page.goto(`${base}/sign-in`)
    await page.locator(`a[href^="/sign-in/${by}"]`).click()
    await page.getByRole('button', { name: `Person ${person.id}` }).click()
    await page.waitForURL(`${base}/`)
  }

  /** Signs in without pages, for tests of other things. */
  async function openSession(context: BrowserContext, person: Person) {
    const session = createBrowser(base)
    await signInBy(session, person, 'github')
    await context.addCookies(await playwrightCookies(session, base))
  }

  async function makeKey(page: Page, name: string): Promise<string> {
    await page.goto(`${base}/keys`)
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create key' }).click()
    const created = page.locator('section.created')
    await created.locator('button[data-copy]').first().click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(await created.locator('code').first().innerText()).toBe(copied)
    return copied
  }

  const requestMetadata = (key: string, path: string) =>
    fetch(`${base}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${origin.port}${path}`)}`, {
      headers: { 'x-api-key': key },
    })

  const fitsWidth = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth')

  const signIns = [
    ['github', DESK, ANN, 'at a desk'],
    ['google', PHONE, JO, 'on a phone'],
  ] as const
  test.each(typicalCases(signIns, ([by]) => by === 'github'))(
    'signed in with %s: create a key, copy it, use it, see it counted, deactivate it',
    async (by, viewport, person, name) => {
      await using visited = await visit(viewport)
      const { page, complaints } = visited
      await signIn(page, person, by)
      const key = await makeKey(page, name)
      expect(key).toMatch(/^urlmeta_live_[0-9a-f]{32}$/)
      expect((await requestMetadata(key, '/article')).status).toBe(200)

      await page.goto(`${base}/keys`)
      const row = page.getByRole('row').filter({ hasText: name })
      expect(await row.locator('[data-label="This month"]').innerText()).toContain('1')
      expect(await page.content()).not.toContain(key)
      await row.locator('summary').click()
      await row.getByRole('button', { name: 'Deactivate permanently' }).click()
      await page.getByText('Key deactivated').waitFor()
      expect((await requestMetadata(key, '/article')).status).toBe(401)

      for (const path of ['/', '/keys', '/usage', '/playground', '/docs', '/account']) {
        await page.goto(base + path)
        expect([path, await fitsWidth(page)]).toEqual([path, true])
      }
      expect(complaints).toEqual([])
    },
    120_000,
  )

  test('the playground shows the metadata, and the image without contacting the page’s site', async () => {
    await using visited = await visit()
    const { page, context, complaints } = visited
    await openSession(context, JO)
    await page.goto(`${base}/playground`)
    await page.getByLabel('URL').fill(`http://127.0.0.1:${origin.port}/article`)
    await page.getByRole('button', { name: 'Fetch', exact: true }).click()
    await page.locator('.card').getByText('What the article is called').first().waitFor()
    expect(await page.title()).not.toBe('taken')
    const picture = page.locator('img[src^="/playground/image"]').first()
    await picture.scrollIntoViewIfNeeded()
    // `waitForFunction` evaluates a string each time it looks again, which the page's Content-Security-Policy forbids.
    await until(() => page.evaluate<boolean>('[...document.images].some((image) => image.naturalWidth === 5)'))
    expect(complaints).toEqual([])
  }, 120_000)

  test('the playground reports a page that was rendered', async () => {
    await using visited = await visit()
    const { page, context, complaints } = visited
    await openSession(context, JO)
    await page.goto(`${base}/playground`)
    await page.getByLabel('URL').fill(`http://127.0.0.1:${origin.port}/shell`)
    await page.getByText('Options').click()
    await page.getByLabel('Timeout, ms').fill('15000')
    await page.getByRole('button', { name: 'Fetch', exact: true }).click()
    await page.locator('.card').getByText('Drawn by a script').first().waitFor()
    await page.getByText('These apps will see this.').waitFor()
    expect(await page.locator('.card.facebook').textContent()).toContain('Loading')
    expect(await page.getByText('headless', { exact: true }).count()).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  }, 120_000)

  test('an operator changes a plan, which applies from the next request', async () => {
    await using member = await visit()
    await openSession(member.context, ANN)
    const key = await makeKey(member.page, 'planned')
    expect((await requestMetadata(key, '/article')).headers.get('x-ratelimit-limit')).toBe('10')

    await using visited = await visit()
    const { page, context, complaints } = visited
    await openSession(context, OPERATOR)
    await page.goto(base)
    await page.getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('link', { name: ANN.email }).click()
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('business')
    await page.getByRole('button', { name: 'Change plan' }).click()
    await page.getByText('Plan changed').waitFor()
    expect((await requestMetadata(key, '/article')).headers.get('x-ratelimit-limit')).toBe('1000')
    for (const path of ['/admin/audit', '/admin/health']) {
      await page.goto(base + path)
      expect(await fitsWidth(page)).toBe(true)
    }
    expect(complaints).toEqual([])
  }, 120_000)

  // The same is tested over HTTP, and the scripts of these pages in http/forms-browser.test.ts and views/browser.test.ts.
  whenThorough(() => {
    test('a key is rotated, and both work during the overlap', async () => {
      await using visited = await visit(PHONE)
      const { page, context, complaints } = visited
      await openSession(context, JO)
      const key = await makeKey(page, 'rotated')
      await page.goto(`${base}/keys`)
      await page.getByRole('link', { name: 'rotated' }).click()
      await page.locator('summary', { hasText: 'Restrictions' }).click()
      await page.getByLabel('Allowed hosts').fill('127.0.0.1')
      await page.getByRole('form', { name: 'Restrictions' }).getByRole('button').click()
      await page.getByText('Key changed').waitFor()
      await page.locator('summary', { hasText: 'a new key with' }).click()
      await page.getByRole('combobox', { name: 'The old key works for' }).selectOption('1 hour')
      await page.getByRole('button', { name: 'Rotate key' }).click()
      const next = await page.locator('section.created code').innerText()
      expect(next).not.toBe(key)
      for (const either of [key, next]) expect((await requestMetadata(either, '/article')).status).toBe(200)
      // The script gave the response the URL of the key's page.
      await page.reload()
      await page.getByText('Replaced by').waitFor()
      expect(await page.content()).not.toContain(next)
      expect(complaints).toEqual([])
    }, 120_000)

    test('requests are filtered and exported', async () => {
      await using visited = await visit()
      const { page, context, complaints } = visited
      await openSession(context, OPERATOR)
      const key = await makeKey(page, 'logged')
      await requestMetadata(key, '/article')
      await requestMetadata(key, '/missing')
      await page.goto(`${base}/usage`)
      await page.getByRole('link', { name: 'View requests' }).click()
      const rows = page.locator('.requests li')
      // Requests are written once per second.
      const exported = async () => (await page.request.get(`${base}/usage/requests.csv`)).text()
      await until(async () => (await exported()).trimEnd().split('\r\n').length === 3)
      await page.reload()
      expect(await rows.count()).toBe(2)
      await page.getByRole('combobox', { name: 'Result' }).selectOption('Failed')
      await page.waitForURL('**result=failed**')
      expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('HTTP 404')])
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download as CSV' }).click()
      const file = await Bun.file(await (await download).path()).text()
      expect(file.trimEnd().split('\r\n')).toEqual([
        expect.stringMatching(/^time,/),
        expect.stringContaining(',http_status 404,'),
      ])
      expect(complaints).toEqual([])
    }, 120_000)

    test('a webhook is saved and tested', async () => {
      await using visited = await visit()
      const { page, context, complaints } = visited
      await openSession(context, ANN)
      await page.goto(`${base}/account`)
      await page.getByLabel('Webhook URL').fill(`http://127.0.0.1:${origin.port}/hook`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Usage alerts will be sent to this URL.').waitFor()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('The test message was delivered.').waitFor()
      expect(hooks).toMatchObject([{ type: 'usage.test' }])
      expect(complaints).toEqual([])
    }, 120_000)
  })

  test('signing out ends the session, and the keys of a deleted account stop working', async () => {
    await using visited = await visit(PHONE)
    const { page, complaints } = visited
    await signIn(page, JO)
    await page.locator('header summary').click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${base}/keys`)
    expect(new URL(page.url()).pathname).toBe('/sign-in')

    await signIn(page, JO)
    const key = await makeKey(page, 'last')
    expect((await requestMetadata(key, '/article')).status).toBe(200)
    await page.goto(`${base}/account`)
    await page.locator('summary').filter({ hasText: 'Delete my account' }).click()
    await page.getByLabel(`Type ${JO.email} to confirm`).fill(JO.email)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('Account deleted').waitFor()
    expect((await requestMetadata(key, '/article')).status).toBe(401)
    expect(complaints).toEqual([])
  }, 120_000)

  test('the link that serve prints on a new installation signs an operator in, once', async () => {
    await using fresh = openWorkspace()
    const started = await fresh.serve()
    while (!started.output().includes('/sign-in/link?token=')) await Bun.sleep(10)
    const link = /http:\/\/localhost:\d+\/sign-in\/link\?token=[\w-]+/.exec(started.output())![0]
    await using visited = await visit()
    const { page } = visited
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    expect((await page.goto(link))!.status()).toBe(400)
  }, 120_000)
})
