import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { HTMLElement } from 'node-html-parser'

import { ANN, JO } from '../identity/people.ts'
import { png, pngResponse } from '../origin/images.ts'
import type { Browser, Visited } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const MB = 1024 * 1024

/** A page whose og:image has the same name. */
function pageOf(path: string): string {
  return `<!doctype html><title>HTML title</title><meta name="robots" content="noindex">
<meta property="og:title" content="Open Graph title"><meta property="og:title" content="Second title">
<meta property="og:image" content="${path}.png"><meta name="theme-color" content="#5865F2">
<meta name="twitter:card" content="summary_large_image"><meta name="twitter:title" content="Twitter title">`
}

const ROBOTS = 'User-agent: Twitterbot\nDisallow: /kept-out\n'
const OEMBED = { type: 'link', version: '1.0', title: 'oEmbed title', author_name: 'Jo', provider_name: 'Provider' }

const PAGES: Record<string, string> = {
  '/unlisted': '<title>T</title>',
  '/without-image': '<title>T</title><meta name="description" content="D">',
  '/with-image': '<title>T</title><meta name="description" content="D"><meta property="og:image" content="/large.png">',
  '/in-every-app': `<title>T</title><meta property="og:title" content="T"><meta property="og:description" content="D">
<meta name="description" content="D"><meta property="og:image" content="/large.png"><meta name="twitter:card" content="summary">`,
  '/complete': `<title>A page</title><meta name="description" content="A description"><link rel="canonical" href="/complete">
<meta property="og:title" content="A page"><meta property="og:description" content="A description">
<meta property="og:url" content="/complete"><meta property="og:type" content="article"><meta property="og:site_name" content="S">
<meta property="og:image" content="/large.png"><meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630"><meta property="og:image:alt" content="Lights">
<meta name="twitter:card" content="summary_large_image">`,
  '/described': `<title>T</title><link rel="alternate" type="application/json+oembed" href="/oembed.json">`,
  '/news': `<base href="/images/"><title>T</title><meta property="og:image" content="large.png">
<script type="application/ld+json">{"@type":"NewsArticle","headline":"Headline"}</script>`,
}

const slow = { requested: Promise.withResolvers<void>(), sent: Promise.withResolvers<void>() }

const IMAGES: Record<string, () => Response | Promise<Response>> = {
  async '/slow.png'() {
    slow.requested.resolve()
    await slow.sent.promise
    return pngResponse()
  },
  '/large.png': () => pngResponse(),
  '/photo.png': () => pngResponse(),
  '/report.pdf': () => new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } }),
  '/images/large.png': () => pngResponse(),
  '/small.png': () => pngResponse(png(199, 200)),
  '/portrait.png': () => pngResponse(png(800, 1200)),
  '/heavy.png': () => pngResponse(Buffer.concat([png(1200, 630), new Uint8Array(5.2 * MB)])),
  '/page.png': () => new Response('<!doctype html><title>Not found</title>', { headers: HTML }),
  '/gone.png': () => new Response('gone', { status: 404 }),
}

let service: SignInApp
let jo: Browser
let key: string
beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    origin(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/robots.txt') {
        const isText = request.headers.get('accept')?.startsWith('text/plain')
        return isText ? new Response(ROBOTS) : new Response(null, { status: 406 })
      }
      if (pathname === '/oembed.json') return Response.json(OEMBED)
      const headers = pathname === '/unlisted' ? { ...HTML, 'x-robots-tag': 'nosnippet' } : HTML
      const html = PAGES[pathname] ?? pageOf(pathname)
      return IMAGES[pathname]?.() ?? new Response(html, { headers })
    },
  })
  jo = await service.signedIn(JO)
  key = await service.app.createKey(JO.email)
})
afterAll(() => service[Symbol.asyncDispose]())

const play = (path: string, fields?: Record<string, string>) => service.play(jo, path, fields)

/** The page of a tab of the same result. */
const tab = (result: Visited, name: string) => jo.get(`${result.url.origin}${result.url.pathname}?tab=${name}`)

/** The item of an app. */
function appOf({ document }: Visited, name: string) {
  return document.querySelectorAll('.previews > li').find((item) => item.querySelector('h3')!.text.includes(name))!
}

/** The texts of a row's cells or of an item's lines. */
const cellsOf = (row: HTMLElement) =>
  row
    .querySelectorAll('th, td, .badge, p')
    .map(({ text }) => text.trim())
    .join(' ')

const titleOf = (page: Visited, app: string) => appOf(page, app).querySelector('.t')!.text.trim()

describe('cards', () => {
  test('each app has its own order of tags', async () => {
    const page = await play('/large')
    expect(page.document.querySelectorAll('.previews > li')).toHaveLength(14)
    expect(['X', 'Facebook', 'Google'].map((app) => titleOf(page, app))).toEqual([
      'Twitter title',
      'Open Graph title',
      'HTML title',
    ])
    expect(appOf(page, 'Discord').querySelector('.accent rect')!.getAttribute('fill')).toBe('#5865f2')
  })

  test.each([
    ['/large', 'Facebook', 'top', 'pic wide'],
    ['/portrait', 'Slack', 'below', 'pic whole'],
    ['/portrait', 'Mastodon', 'left', 'pic square'],
    ['/large', 'Mastodon', 'top', 'pic wide'],
    ['/small', 'Facebook', 'text', undefined],
  ])('an image at %s in %s is %s', async (path, app, layout, picture) => {
    const item = appOf(await play(path), app)
    expect(item.querySelector('.card')!.classList.contains(layout)).toBe(true)
    expect(item.querySelector('img:not(.icon)')?.getAttribute('class')).toBe(picture)
  })

  test.each([
    ['/gone', 'og:image: HTTP 404'],
    ['/heavy', 'og:image: 5.2 MB, over 5 MB'],
    ['/page', 'og:image: not an image: text/html'],
  ])('a failed image says why: %s', async (path, problem) => {
    const page = await play(path)
    expect(appOf(page, 'Slack').querySelector('.problem')!.text.trim()).toBe(problem)
    expect(page.document.querySelectorAll('.previews img:not(.icon)')).toHaveLength(0)
  })

  test.each([
    ['/with-image', 'lines-2'],
    ['/without-image', 'lines-4'],
  ])('the description on the card of Bluesky at %s has the class %s', async (path, lines) => {
    expect(
      appOf(await play(path), 'Bluesky')
        .querySelector('.d')!
        .classList.contains(lines),
    ).toBe(true)
  })

  test.each<[app: string, title: number | null, description: number | null]>([
    ['X', 2, 2],
    ['Facebook', 2, 1],
    ['Slack', null, null],
    ['Discord', 3, 20],
    ['WhatsApp', 2, 2],
    ['Telegram', 2, 4],
    ['Teams', 2, 2],
    ['Bluesky', 3, 2],
    ['Mastodon', 2, 1],
    ['Pinterest', 2, 3],
    ['Google', 2, 3],
  ])('%s shows %p lines of the title and %p of the description', async (app, title, description) => {
    const item = appOf(await play('/in-every-app'), app)
    const classOf = (text: string) => item.querySelector(text)!.getAttribute('class')
    const classes = [title, description].map((lines, i) => `${'td'[i]} ${lines === null ? '' : `lines-${lines}`}`)
    expect([classOf('.t'), classOf('.d')]).toEqual(classes)
  })
})

describe('a page that the API has fetched', () => {
  /** All that depends on the tags of the page. */
  async function shown(result: Visited) {
    const checks = (await tab(result, 'checks')).document
    return {
      badge: checks.querySelector('#result-tabs .badge')?.text,
      checks: checks.querySelectorAll('.checks li').map(cellsOf),
      corrected: checks.querySelector('.result pre')!.text,
      cards: result.document.querySelectorAll('.previews .card').map((card) => card.text),
      tags: (await tab(result, 'sources')).document.querySelectorAll('.all-tags tbody tr').map(cellsOf),
    }
  }

  test.each(['/by-api', '/complete', '/described', '/news', '/unlisted'])(
    'has the same checks, badge, corrected tags and cards as one that the playground has fetched: %s',
    async (path) => {
      const alone = await shown(await play(path, { fresh: 'true' }))
      expect((await service.app.metadata(key, path, { cache: 'false' })).status).toBe(200)
      const requests = service.app.requestCounts.get(path)!
      const after = await play(path)
      expect(await shown(after)).toEqual(alone)
      expect(after.document.querySelector('.outcome')!.text).toMatch(/Fetched\s+just now in/)
      // The next request finds the tags in the cache.
      const cached = await play(path)
      expect(cached.document.querySelector('.outcome')!.text).toContain('From cache')
      expect(await shown(cached)).toEqual(alone)
      expect(service.app.requestCounts.get(path)).toBe(requests + 1)
    },
  )

  test('is charged like any request of the playground', async () => {
    await service.app.metadata(key, '/charged')
    const usedOn = ({ document }: Visited) => Number(/([\d,]+) of/.exec(document.querySelector('.ask .hint')!.text)![1])
    const used = usedOn(await jo.get('/playground'))
    expect(usedOn(await play('/charged'))).toBe(used + 1)
  })

  test('can be fetched again from its result', async () => {
    await play('/again')
    const { document } = await play('/again')
    const form = document.querySelector('[aria-label="Fetch again"]')!
    const fields = Object.fromEntries(
      form.querySelectorAll('input').map((input) => [input.getAttribute('name')!, input.getAttribute('value')!]),
    )
    expect((await jo.send('/playground', fields)).document.querySelector('.outcome')!.text).toContain('Fetched')
    expect(service.app.requestCounts.get('/again')).toBe(2)
  })

  test.each(['/photo.png', '/report.pdf'])('has no checks or cards if it is a file: %s', async (path) => {
    await service.app.metadata(key, path)
    for (const result of [await play(path), await play(path)]) {
      const checks = await tab(result, 'checks')
      for (const { document } of [result, checks, await tab(result, 'sources')]) {
        expect(document.querySelectorAll('.card, .checks, .all-tags, .editor, #result-tabs .badge')).toEqual([])
      }
      expect(checks.body).toContain('This is a file, not a web page')
    }
    // Once for the API, and once for the playground.
    expect(service.app.requestCounts.get(path)).toBe(2)
  })
})

describe('other tabs', () => {
  test('Sources lists all tags, and the apps that use each', async () => {
    const { document } = await tab(await play('/large'), 'sources')
    const rows = document.querySelectorAll('.all-tags tbody tr').map(cellsOf)
    expect(rows).toContain('twitter:title Twitter title X')
    expect(rows).toContain('og:title Second title –')
    expect(rows).toContain('robots noindex –')
    expect(rows.find((row) => row.startsWith('theme-color'))).toBe('theme-color #5865F2 Discord')
  })

  test('Checks have reasons and fixes, and tags to copy', async () => {
    const { document } = await tab(await play('/small'), 'checks')
    const checks = document.querySelectorAll('.checks > li').map(cellsOf)
    expect(checks).toContain(
      'Warning og:title The page has 2 different values. Most apps use the first one. Keep one og:title.',
    )
    expect(checks.some((check) => check.startsWith('Error og:image Not shown by Facebook: 199 × 200'))).toBe(true)
    expect(checks.some((check) => check.startsWith('Warning robots noindex'))).toBe(true)
    expect(document.querySelector('.result pre code')!.text).toContain('og:image:width')
  })
})

test('robots.txt keeps out the card of X, and the checks say how to let it in', async () => {
  const page = await play('/kept-out')
  expect(appOf(page, 'X').text).toContain('No card, only the link.')
  expect(appOf(page, 'X').text).toContain('robots.txt disallows Twitterbot')
  expect(titleOf(page, 'Facebook')).toBe('Open Graph title')
  const { document } = await tab(page, 'checks')
  const checks = document.querySelectorAll('.checks > li').map(cellsOf)
  expect(checks.find((check) => check.startsWith('Error robots.txt'))).toEndWith(
    'so they show no card. Add "Allow: /kept-out" for Twitterbot.',
  )
})

test('the oEmbed response that a page declares is on the cards of the apps that use it', async () => {
  const page = await play('/described')
  expect(titleOf(page, 'Mastodon')).toBe('oEmbed title')
  expect(appOf(page, 'Mastodon').querySelector('.a')!.text.trim()).toBe('By Jo')
  expect(titleOf(page, 'Discord')).toBe('oEmbed title')
  expect(appOf(page, 'Discord').querySelector('.a')!.text.trim()).toBe('Jo')
  expect(appOf(page, 'Discord').querySelector('.s')!.text.trim()).toBe('Provider')
})

test('the page of a result has the same image links when it is shown again', async () => {
  const sources = ({ document }: Visited) =>
    document.querySelectorAll('.previews img').map((img) => img.attributes['src'])
  const page = await play('/large')
  expect(sources(page).length).toBeGreaterThan(0)
  expect(sources(await jo.get(page.url.href))).toEqual(sources(page))
  // The image may have changed since.
  expect(sources(await play('/large'))).not.toEqual(sources(page))
})

test('Checks read the X-Robots-Tag header', async () => {
  const { body } = await tab(await play('/unlisted'), 'checks')
  expect(body).toContain('nosnippet: Google shows no description.')
})

describe('editing', () => {
  const EDITED =
    '<title>New</title>\n<meta property="og:title" content="Edited">\n<meta property="og:image" content="/large.png">'
  const edit = (result: Visited, fields: Record<string, string>) => jo.send(`${result.url.pathname}/tags`, fields)

  test('changes the cards and checks of the result, and can be reloaded and discarded', async () => {
    const result = await play('/gone')
    const edited = await edit(result, { tags: EDITED, images: 'true' })
    expect([edited.status, edited.url.pathname]).toEqual([200, result.url.pathname])
    for (const page of [edited, await jo.get(result.url.href)]) {
      expect(titleOf(page, 'Facebook')).toBe('Edited')
      expect(appOf(page, 'Facebook').querySelector('img.wide')).not.toBeNull()
      expect(page.document.querySelector('#tags')!.text.trim()).toBe(EDITED)
      expect(page.body).toContain('These cards show your edited tags.')
    }
    expect((await tab(result, 'checks')).body).toContain('These checks are for your edited tags.')
    expect(titleOf(await edit(result, { tags: EDITED, reset: 'true' }), 'Facebook')).toBe('Open Graph title')
  })

  test('with the corrected tags that the form has, keeps what was typed into its fields', async () => {
    const result = await play('/gone')
    const corrected = EDITED.replace('New', 'Corrected')
    const before = result.document.querySelector('input[name="was-site_name"]')!.getAttribute('value')!
    const typed = { site_name: 'Typed', 'was-site_name': before }
    const edited = await edit(result, { tags: EDITED, corrected, images: 'corrected', ...typed })
    const text = edited.document.querySelector('#tags')!.text
    expect(text).toContain('<title>Corrected</title>')
    expect(text).toContain('<meta property="og:site_name" content="Typed">')
    expect(appOf(edited, 'Facebook').querySelector('img.wide')).not.toBeNull()
  })

  test('of nothing changes no card: the base URL and JSON-LD are kept', async () => {
    const result = await play('/news')
    const shownIn = (page: Visited) =>
      page.document
        .querySelectorAll('.previews > li')
        .map((item) => [
          item.querySelectorAll('.card p').map(({ text }) => text.trim()),
          item.querySelector('img')?.getAttribute('src'),
          item.querySelector('.problem')?.text.trim(),
        ])
    expect(titleOf(result, 'Mastodon')).toBe('Headline')
    const edited = await edit(result, { tags: result.document.querySelector('#tags')!.text })
    expect(edited.body).toContain('These cards show your edited tags.')
    expect(shownIn(edited)).toEqual(shownIn(result))
  })

  test('does not load images until the button is pressed', async () => {
    const result = await play('/gone')
    const tags = EDITED.replace('/large.png', '/typed.png')
    const typed = await edit(result, { tags })
    const { text, classList } = appOf(typed, 'Facebook').querySelector('.card + p')!
    expect([text, classList.toString()]).toEqual(['The image is not loaded yet.', 'hint later'])
    expect(appOf(typed, 'Facebook').querySelector('.pic')!.tagName).toBe('SPAN')
    expect(typed.document.querySelector('#image-measure')!.text).toBe('Not loaded yet')
    expect(service.app.requestCounts.get('/typed.png')).toBeUndefined()
    await edit(result, { tags, images: 'true' })
    expect(service.app.requestCounts.get('/typed.png')).toBe(1)
  })

  test('while images load does not make them fail', async () => {
    const result = await play('/gone')
    const tags = EDITED.replace('/large.png', '/slow.png')
    const csrf = result.document.querySelector('input[name="csrf"]')!.getAttribute('value')!
    const editing = new AbortController()
    const loading = jo.request(`${result.url.origin}${result.url.pathname}/tags`, {
      method: 'POST',
      body: new URLSearchParams({ csrf, tags, images: 'true' }),
      signal: editing.signal,
    })
    await slow.requested.promise
    editing.abort()
    await expect(loading).rejects.toThrow()
    const edited = tags.replace('Edited', 'Edited again')
    await edit(result, { tags: edited })
    slow.sent.resolve()
    const page = await edit(result, { tags: edited, images: 'true' })
    expect(titleOf(page, 'Facebook')).toBe('Edited again')
    expect(appOf(page, 'Facebook').querySelector('img.wide')).not.toBeNull()
  })

  /** What a browser submits, with some fields changed. */
  const submitted = ({ document }: Visited, typed: Record<string, string>) =>
    Object.fromEntries(
      document
        .querySelectorAll('.edit :is(input:not([type="radio"], [name="csrf"]), textarea, select)')
        .map((field) => {
          const { name = '', value } = field.attributes
          const chosen = field.querySelector('option[selected]')?.text
          return [name, typed[name] ?? value ?? chosen ?? (field.tagName === 'TEXTAREA' ? field.text : '')]
        }),
    )

  test('of fields changes their tags only', async () => {
    const result = await play('/large')
    const before = result.document.querySelector('#tags')!.text
    expect((await edit(result, submitted(result, {}))).document.querySelector('#tags')!.text).toBe(before)
    const page = await edit(result, submitted(result, { title: ' Six\r\nplaces ', card: 'summary' }))
    expect(['X', 'Facebook', 'Discord', 'Google'].map((app) => titleOf(page, app))).toEqual([
      'Twitter title',
      'Six places',
      'Six places',
      'HTML title',
    ])
    expect(page.document.querySelector('#title')!.getAttribute('value')).toBe('Six places')
    expect(page.document.querySelector('#title-limits')!.text).toContain('X reads twitter:title')
    expect(appOf(page, 'Discord').querySelector('.card')!.classList.contains('right')).toBe(true)
    expect(page.document.querySelector('#corrected-tags code')!.text).toContain('content="Six places"')
  })

  test('of fields and HTML applies both', async () => {
    const result = await play('/large')
    const tags = '<meta property="og:site_name" content="Site">'
    const page = await edit(result, submitted(result, { title: 'Typed', tags }))
    expect(page.document.querySelector('#tags')!.text.trim()).toBe(
      `<meta property="og:title" content="Typed">\n${tags}`,
    )
  })

  test('escapes the typed text', async () => {
    const tags = '</textarea><script>alert(1)</script><meta property="og:title" content="&lt;b>">'
    const page = await edit(await play('/large'), { tags })
    expect(page.body).not.toContain('<script>alert(1)')
    expect(titleOf(page, 'Facebook')).toBe('<b>')
  })

  test('is truncated after 40,000 characters', async () => {
    const page = await edit(await play('/large'), { tags: 'a'.repeat(40_001) })
    expect(page.document.querySelector('#tags')!.text.trim()).toHaveLength(40_000)
  })

  test('of another user’s result changes nothing', async () => {
    const result = await play('/large')
    const ann = await service.signedIn(ANN)
    await ann.get('/playground')
    expect((await ann.send(`${result.url.pathname}/tags`, { tags: EDITED })).status).toBe(404)
    expect(titleOf(await jo.get(result.url.href), 'Facebook')).toBe('Open Graph title')
  })

  test('the corrected tags can be previewed', async () => {
    const checks = await tab(await play('/large'), 'checks')
    const tags = checks.document.querySelector('.result input[name="tags"]')!.getAttribute('value')!
    const page = await jo.send(checks.document.querySelector('.result form')!.getAttribute('action')!, {
      tags,
      images: 'true',
    })
    expect(page.body).toContain('These cards show your edited tags.')
    expect(titleOf(page, 'Facebook')).toBe('Open Graph title')
  })
})
