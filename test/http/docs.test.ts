import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { type Browser, chromium as browserType } from 'playwright-core'

import { EXAMPLE_SERVER } from '../../documents.ts'
import { DOCUMENTATION } from '../../views/docs/documents.ts'
import { pageTree } from '../page-tree.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { faultsOf } from '../views/markup.ts'
import { startApp, type TestApp } from './app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

let app: TestApp
beforeAll(async () => void (app = await startApp({ env: { URLMETA_BASE_URL: 'https://meta.example' } })))
afterAll(() => app[Symbol.asyncDispose]())

const textOf = (path: string) => Bun.file(join(import.meta.dir, '../..', path)).text()

describe('/docs', () => {
  test.each(['/docs', '/docs/search', ...DOCUMENTATION.documents.map(({ path }) => path)])('%s', async (path) => {
    const response = await fetch(app.url + path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await response.text()
    expect(faultsOf(html.replace('<!doctype html>', ''))).toEqual([])
    const page = pageTree(html)
    expect(page.querySelectorAll('h1')).toHaveLength(1)
    const current = page.querySelectorAll('.doc-pages [aria-current]').map((link) => link.getAttribute('href'))
    expect(current).toEqual(path === '/docs/search' ? [] : [path])
    // Every server has the same pages, so that search engines need one.
    expect(page.querySelector('meta[name="robots"]') === null).toBe(path === '/docs')
    expect(html).not.toContain('<!--copy-->')
  })

  test('has the URL of the server in examples', async () => {
    const html = await (await fetch(`${app.url}/docs/cards`)).text()
    expect(html).toContain('https://meta.example/card.js')
    expect(html).not.toContain(EXAMPLE_SERVER)
  })

  test('/card, the former page about link cards, leads to their guide', async () => {
    const response = await fetch(`${app.url}/card`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/docs/cards'])
  })

  test('opens the list of the readers of a page', async () => {
    const page = pageTree(await (await fetch(`${app.url}/docs/backup`)).text())
    const open = page.querySelectorAll('.doc-pages details[open] summary').map(({ text }) => text)
    expect(open).toEqual(['Run a server'])
  })

  test.each([
    ['/docs/limits.md', 'docs/limits.md'],
    ['/docs/README.md', 'docs/README.md'],
    ['/docs/deploy/README.md', 'docs/deploy/README.md'],
    ['/docs/deploy/nginx.conf', 'docs/deploy/nginx.conf'],
  ])('%s is the file, as text', async (path, file) => {
    const { status, headers, ...response } = await fetch(app.url + path).then(async (one) => ({
      status: one.status,
      headers: one.headers,
      text: await one.text(),
    }))
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.text).toBe(await textOf(file))
  })

  test.each([
    '/docs/nothing',
    '/docs/nothing.md',
    '/docs/README',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/package.json',
    '/docs/deploy/nothing',
    '/docs/deploy/..%2f..%2fpackage.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs/screenshots/docs-light.png',
    '/docs/a/b/c',
  ])('%s does not exist', async (path) => expect((await fetch(app.url + path)).status).toBe(404))

  test('other methods are refused', async () => {
    expect((await fetch(`${app.url}/docs/api`, { method: 'POST' })).status).toBe(405)
  })
})

test('/llms.txt has absolute links, and /llms-full.txt the text', async () => {
  const index = await (await fetch(`${app.url}/llms.txt`)).text()
  expect(index).toStartWith('# urlmeta\n\n> ')
  expect(index).toContain('(https://meta.example/docs/api.md)')
  const full = await fetch(`${app.url}/llms-full.txt`, { headers: { 'accept-encoding': 'br' } })
  expect([full.status, full.headers.get('content-encoding')]).toEqual([200, 'br'])
  expect(await full.text()).toBe(
    DOCUMENTATION.files['/llms-full.txt']!.replaceAll(EXAMPLE_SERVER, 'https://meta.example'),
  )
})

describe('/docs/search', () => {
  const search = async (query: string) => {
    const response = await fetch(`${app.url}/docs/search?q=${encodeURIComponent(query)}`)
    return { status: response.status, html: await response.text() }
  }

  test('lists sections, and keeps the query', async () => {
    const { status, html } = await search('cookie wall')
    const page = pageTree(html)
    expect(status).toBe(200)
    expect(page.querySelectorAll('.hits a').map((link) => link.getAttribute('href'))).toContain('/docs/sites#walls')
    expect(page.querySelector('input[name="q"]')!.getAttribute('value')).toBe('cookie wall')
  })

  test('escapes the query and the text of sections', async () => {
    const { html } = await search('"><script>alert(1)</script>')
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('&lt;script&gt;')
    expect((await search('AbortController')).html).toContain('() =&gt; {')
  })

  test.each(['', ' ', '%', 'a'.repeat(5_000), '\u0000', 'ﷺ 你好'])('%j is a page', async (query) => {
    expect((await search(query)).status).toBe(200)
  })
})

describeChromium('the search in a browser', () => {
  let browser: Browser
  beforeAll(async () => void (browser = await browserType.launch({ executablePath: chromium! })), PATIENT_TEST_MS)
  afterAll(() => browser.close())

  test.each([true, false])('with scripts: %p', async (javaScriptEnabled) => {
    await using context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${app.url}/docs`)
    await page.getByRole('searchbox').fill('cookie wall')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('link', { name: 'Walls', exact: false }).first().waitFor()
    expect(new URL(page.url()).search).toBe('?q=cookie+wall')
    await page.getByRole('searchbox').fill('pgbouncer')
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click()
    const hit = page.getByRole('link', { name: 'PostgreSQL: PgBouncer' })
    await hit.waitFor()
    expect(new URL(page.url()).search).toBe('?q=pgbouncer')
    await hit.click()
    await page.waitForURL('**/docs/postgresql#pgbouncer')
  })
})
