import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'

import type { BotDefense } from '../../../src/core/walls/bot-defenses.ts'
import { extractHtml } from '../../../src/core/extract/extract.ts'
import type { ChallengeVendor, Interstitial } from '../../../src/core/walls/interstitial.ts'
import { siteOf } from '../../../src/core/sites/sites.ts'
import { wallOf } from '../../../src/core/walls/walls.ts'

interface Response {
  html: string
  status?: number
  url?: string
  previousUrls?: readonly string[]
  defense?: BotDefense
}

function wallOfResponse({ html, status = 200, url = 'https://site.test/page', previousUrls = [], defense }: Response) {
  const at = new URL(url)
  const { metadata, evidence } = extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: at })
  const requested = previousUrls.map((one) => new URL(one, at))
  const site = siteOf(at.hostname, [])
  return wallOf({ status, url: at, previousUrls: requested, defense: defense ?? null, site, metadata, evidence })
}

const ARTICLE = `<title>A page</title><p>${'four '.repeat(200)}`
const CLOUDFLARE = '<title>Just a moment...</title><script>window._cf_chl_opt = {}</script>'
const LOGIN = '<title>Log in</title><input type="password">'
const certain = (name: ChallengeVendor): BotDefense => ({ name, isCertain: true })
const SCRIPT = '<script src="/a.js"></script>'
const UNCERTAIN: BotDefense = { name: 'kasada', isCertain: false }

describe('the most certain sign decides', () => {
  test.each<[name: string, response: Response, expected: Interstitial | null]>([
    ['a page', { html: ARTICLE }, null],
    ['a certain header on a page', { html: ARTICLE, defense: certain('vercel') }, 'vercel'],
    ['a certain header and the code of another', { html: CLOUDFLARE, defense: certain('vercel') }, 'vercel'],
    ['an uncertain header on a page', { html: ARTICLE, defense: UNCERTAIN }, null],
    ['an uncertain header on an empty page', { html: '<script src="/a.js"></script>', defense: UNCERTAIN }, 'kasada'],
    [
      'an uncertain header on a described page',
      { html: '<meta name="description" content="D">', defense: UNCERTAIN },
      null,
    ],
    ['500 characters of text', { html: `${SCRIPT}<p>${'x'.repeat(500)}`, defense: UNCERTAIN }, 'kasada'],
    ['501 characters of text', { html: `${SCRIPT}<p>${'x'.repeat(501)}`, defense: UNCERTAIN }, null],
    ['60 characters of text without scripts', { html: `<p>${'x'.repeat(60)}`, defense: UNCERTAIN }, 'kasada'],
    ['61 characters of text without scripts', { html: `<p>${'x'.repeat(61)}`, defense: UNCERTAIN }, null],
    ['an uncertain header on an empty 404', { html: '', status: 404, defense: UNCERTAIN }, null],
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
  const folder = join(import.meta.dir, '../../fixtures/pages')
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
      defense: null,
      site: siteOf(at.hostname, []),
      ...extracted,
    })
    expect(wall).toBe(ALSO_LOGIN.includes(name) ? 'login' : (evidence?.interstitial ?? null))
  })
})
