import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'

import type { Defence } from '../../src/core/defences.ts'
import { extractHtml } from '../../src/core/extract/extract.ts'
import type { Interstitial } from '../../src/core/extract/interstitial.ts'
import { siteOf } from '../../src/core/sites.ts'
import { wallOf } from '../../src/core/walls.ts'

interface Response {
  html: string
  status?: number
  url?: string
  previousUrls?: readonly string[]
  defence?: Defence
}

function wallOfResponse({ html, status = 200, url = 'https://site.test/page', previousUrls = [], defence }: Response) {
  const at = new URL(url)
  const { metadata, evidence } = extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: at })
  const requested = previousUrls.map((one) => new URL(one, at))
  const site = siteOf(at.hostname, [])
  return wallOf({ status, url: at, previousUrls: requested, defence: defence ?? null, site, metadata, evidence })
}

const ARTICLE = `<title>A page</title><p>${'four '.repeat(200)}`
const CLOUDFLARE = '<title>Just a moment...</title><script>window._cf_chl_opt = {}</script>'
const LOGIN = '<title>Log in</title><input type="password">'
const certain = (name: Interstitial): Defence => ({ name, isCertain: true })
const SCRIPT = '<script src="/a.js"></script>'
const UNCERTAIN: Defence = { name: 'kasada', isCertain: false }

describe('the most certain sign decides', () => {
  test.each<[name: string, response: Response, expected: Interstitial | null]>([
    ['a page', { html: ARTICLE }, null],
    ['a certain header on a page', { html: ARTICLE, defence: certain('vercel') }, 'vercel'],
    ['a certain header and the code of another', { html: CLOUDFLARE, defence: certain('vercel') }, 'vercel'],
    ['an uncertain header on a page', { html: ARTICLE, defence: UNCERTAIN }, null],
    ['an uncertain header on an empty page', { html: '<script src="/a.js"></script>', defence: UNCERTAIN }, 'kasada'],
    [
      'an uncertain header on a described page',
      { html: '<meta name="description" content="D">', defence: UNCERTAIN },
      null,
    ],
    ['500 characters of text', { html: `${SCRIPT}<p>${'x'.repeat(500)}`, defence: UNCERTAIN }, 'kasada'],
    ['501 characters of text', { html: `${SCRIPT}<p>${'x'.repeat(501)}`, defence: UNCERTAIN }, null],
    ['60 characters of text without scripts', { html: `<p>${'x'.repeat(60)}`, defence: UNCERTAIN }, 'kasada'],
    ['61 characters of text without scripts', { html: `<p>${'x'.repeat(61)}`, defence: UNCERTAIN }, null],
    ['an uncertain header on an empty 404', { html: '', status: 404, defence: UNCERTAIN }, null],
    ['the code of a challenge', { html: CLOUDFLARE, status: 403 }, 'cloudflare'],
    ['the title of a site', { html: '<title>TikTok</title>', url: 'https://www.tiktok.com/@jo' }, 'login'],
    ['a login page', { html: LOGIN, url: 'https://site.test/login?next=/page', previousUrls: ['/page'] }, 'login'],
    [
      'one with 401',
      { html: LOGIN, status: 401, url: 'https://site.test/login?next=/page', previousUrls: ['/page'] },
      'login',
    ],
    [
      'one with 404',
      { html: LOGIN, status: 404, url: 'https://site.test/login?next=/page', previousUrls: ['/page'] },
      null,
    ],
    [
      'an article at such a path',
      {
        html: `<meta property="og:type" content="article">${LOGIN}`,
        url: 'https://site.test/login',
        previousUrls: ['/1'],
      },
      null,
    ],
  ])('%s', (_, response, expected) => expect(wallOfResponse(response)).toBe(expected))
})

describe('only the fixtures that are walls are recognized as walls', async () => {
  /** Fixtures that look like challenges but are not. */
  const ALSO_LOGIN = ['page-with-preconnect-to-a-captcha-host']
  const folder = join(import.meta.dir, '../fixtures/pages')
  const names = [...new Bun.Glob('*/page.html').scanSync(folder)].map((path) => dirname(path)).toSorted()

  test.each(names)('%s', async (name) => {
    const read = (file: string) => Bun.file(join(folder, name, file))
    const { url = 'https://site.test/a/b/page', encoding = 'utf-8', evidence } = await read('expected.json').json()
    const at = new URL(url)
    const extracted = extractHtml({ bytes: await read('page.html').bytes(), encoding, url: at })
    const wall = wallOf({
      status: 200,
      url: at,
      previousUrls: [],
      defence: null,
      site: siteOf(at.hostname, []),
      ...extracted,
    })
    expect(wall).toBe(ALSO_LOGIN.includes(name) ? 'login' : (evidence?.interstitial ?? null))
  })
})
