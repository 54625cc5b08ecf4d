import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import axe, { type AxeResults } from 'axe-core'
import { chromium as browserType } from 'playwright-core'

import { openWorkspace } from '../executable.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { chromium, describeChromium } from '../requirements.ts'
import { page } from '../site.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const IMAGE = readFileSync(join(import.meta.dir, '../../views/social-image.png'))
const SCRIPT = '<script>document.title = "scripted"</script>'

const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ url }): Response {
    const { pathname } = new URL(url)
    if (pathname === '/image.png') return new Response(IMAGE, { headers: { 'content-type': 'image/png' } })
    if (pathname === '/gone') return page(404)
    const title = Bun.escapeHTML(`${pathname} ${SCRIPT}`)
    const tags = `<meta property="og:title" content="${title}"><meta property="og:image" content="${origin.url}image.png">
      <meta property="og:description" content="</script>${SCRIPT}"><meta name="twitter:card" content="summary_large_image">`
    return page(200, `<!doctype html><meta charset="utf-8"><title>${title}</title>${tags}`)
  },
})
afterAll(() => origin.stop(true))

const place = openWorkspace()
afterAll(() => place[Symbol.asyncDispose]())

const urlOf = (path: string) => `http://127.0.0.1:${origin.port}${path}`

async function report(...paths: string[]): Promise<string> {
  const { code } = await place.run(['check', '--allow-private', '--html', 'report.html', ...paths.map(urlOf)])
  expect(code).toBe(1)
  return readFileSync(join(place.dir, 'report.html'), 'utf8')
}

test('a report has each image once, and no reference to a file of a server', async () => {
  const html = await report('/a', '/b')
  expect(html.match(/data:image\/png;base64,/g)).toHaveLength(1)
  expect(html.match(/(?:href|src)="\/[^"]*"/g) ?? []).toEqual([])
  expect(html).toContain('/blob/main/docs/link-previews.md#discord')
})

test('a report has the first 100 pages', async () => {
  const html = await report(...Array.from({ length: 101 }, (_, n) => `/page${n}`))
  expect(html).toContain('The first 100 of 101 pages: ')
  expect([html.includes(urlOf('/page99')), html.includes(urlOf('/page100'))]).toEqual([true, false])
})

test('a report has the pages that could not be read, and starts a page with its findings', async () => {
  const { code } = await place.run([
    'check',
    '--allow-private',
    '--html',
    'report.html',
    urlOf('/a'),
    urlOf('/gone?<b>'),
  ])
  const html = readFileSync(join(place.dir, 'report.html'), 'utf8')
  expect([code, html.includes('>2 pages: 1 with problems, 1 not read<'), html.includes('HTTP 404')]).toEqual([
    2,
    true,
    true,
  ])
  expect(html).toContain(`<bdi>${urlOf('/gone?&lt;b')}`)
  expect(html.indexOf('class="checks"')).toBeLessThan(html.indexOf('id="page-0-app-marks"'))
})

describeChromium('a report in a browser', () => {
  test('shows the cards with their images, without other requests and scripts of pages', async () => {
    await report('/a', '/b')
    await using browser = await browserType.launch({ executablePath: chromium! })
    const tab = await browser.newPage()
    const requested: string[] = []
    tab.on('request', (request) => requested.push(request.url()))
    await tab.goto(pathToFileURL(join(place.dir, 'report.html')).href)
    expect(await tab.title()).toBe('Link previews · urlmeta')
    expect(requested.filter((url) => !/^data:|report\.html$/.test(url))).toEqual([])
    // A script that a page might get into the report does not run.
    await tab.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'document.title = 1' }))`,
    )
    expect(await tab.title()).toBe('Link previews · urlmeta')

    await tab.evaluate(axe.source)
    const { violations } = await tab.evaluate<AxeResults>(
      `axe.run(document, { resultTypes: ['violations'], preload: false })`,
    )
    expect(violations.map(({ id }) => id)).toEqual([])

    const second = tab.locator('details').nth(1)
    await second.locator('summary').click()
    const image = second.locator('.card.facebook img')
    await image.scrollIntoViewIfNeeded()
    await tab.waitForFunction(
      `document.querySelectorAll('details')[1].querySelector('.facebook img').naturalWidth === 1200`,
    )
    // The marks of the apps lead to the cards of the same page, and their symbols are in the report.
    await second.locator('#page-1-app-marks a', { hasText: 'Discord' }).click()
    expect(await tab.evaluate('location.hash')).toBe('#page-1-card-discord')
    expect(await tab.locator('#page-1-card-discord').isVisible()).toBe(true)
    const uses = await tab.locator('use').evaluateAll((all) => all.map((use) => use.getAttribute('href')!))
    const found = await Promise.all([...new Set(uses)].map((id) => tab.locator(id).count()))
    expect([uses.length > 28, new Set(found)]).toEqual([true, new Set([1])])
  })
})
