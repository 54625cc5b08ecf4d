import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { MAX_SHARED_PER_USER } from '../../src/core/saved-results/ports.ts'
import { VIEWS_PER_MINUTE } from '../../src/previews/service/shared-results.ts'
import { withinMinute } from '../clock-minute.ts'
import { ANN, JO, OPERATOR } from '../identity/people.ts'
import { pngResponse } from '../origin/images.ts'
import type { Browser, Visited } from './browser.ts'
import { databaseText } from './database-text.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
const DAY_MS = 86_400_000

/** Pages by path; other paths have a title of their own. */
const PAGES: Record<string, string> = {
  '/hostile': `<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</title>
<meta property="og:image" content="javascript:alert(1)">`,
}

/** A server that the page `/away` leads to, over two hosts: every address of 127.0.0.0/8 is this machine. */
const inner = Bun.serve({
  port: 0,
  hostname: '0.0.0.0',
  fetch(request) {
    const { pathname, port } = new URL(request.url)
    const home = `http://127.0.0.2:${port}`
    if (pathname === '/hop') return Response.redirect(`${home}/page`)
    if (pathname.endsWith('.png')) return pngResponse()
    if (pathname === '/oembed') return Response.json({ version: '1.0', type: 'photo', url: `${home}/photo.png` })
    if (pathname !== '/page') return new Response('', { status: 404 })
    const page = `<title>On 127.0.0.2</title><meta name="description" content="See ${home}/wiki or HTTP://127.0.0.2">
      <meta property="og:image" content="/a.png"><meta property="og:image" content="https://cdn.example/?u=${encodeURIComponent(home)}">
      <meta property="og:url" content="${home}/page"><meta name="twitter:image" content="http://cdn.inner.example/b.png">
      <link rel="icon" href="/icon.png"><link rel="canonical" href="/page">
      <link rel="alternate" type="application/json+oembed" href="/oembed">`
    return new Response(page, { headers: HTML })
  },
})
afterAll(() => inner.stop(true))

/** What nobody may learn about that server who is not an operator. */
const INNER = ['127.0.0.2', '127.0.0.3', 'inner.example', `:${inner.port}`]

const TABS = ['previews', 'checks', 'json', 'sources', 'timing', 'code']

let service: SignInApp
let jo: Browser
beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000', URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8' },
    origin(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/away') return Response.redirect(`http://127.0.0.3:${inner.port}/hop`)
      if (pathname === '/lost') return Response.redirect(`http://127.0.0.3:${inner.port}/lost`)
      if (pathname.endsWith('.png')) return pngResponse()
      const html = `<title>The page ${pathname}</title><meta property="og:image" content="/a.png">`
      return new Response(PAGES[pathname] ?? html, { headers: HTML })
    },
  })
  jo = await service.signedIn(JO)
})
afterAll(() => service[Symbol.asyncDispose]())

const share = (browser: Browser, result: Visited) => browser.send(`${result.url.pathname}/share`)

/** The link on a page, without highlighting. */
const linkOn = ({ document }: Visited) => document.querySelector('.created pre')!.text.trim()

/** Shares the page at `path`; returns the link. */
const sharedLink = async (browser: Browser, path: string) =>
  linkOn(await share(browser, await service.play(browser, path)))

/** Stops sharing all results of the user, so that each test may share as many as it needs. */
async function stopAll(browser: Browser) {
  for (;;) {
    const { document } = await browser.get(`${service.base}/playground`)
    const form = document.querySelector('form[action$="/stop"]')
    if (form === null) return
    await browser.send(form.getAttribute('action')!)
  }
}

describe('a shared result', () => {
  test('is shown without an account as it was stored, and the page is not fetched again', async () => {
    const result = await service.play(jo, '/stored')
    const created = await share(jo, result)
    expect([created.status, created.url.pathname]).toEqual([200, `${result.url.pathname}/share`])
    const link = linkOn(created)
    expect(link).toMatch(/^http:\/\/localhost:\d+\/shared\/[\w-]{43}$/)

    for (const tab of TABS) {
      const page = await service.browser().get(`${link}?tab=${tab}`)
      expect([tab, page.status]).toEqual([tab, 200])
      expect(page.document.querySelector('.result .tabs [aria-current]')!.getAttribute('href')).toBe(
        `${new URL(link).pathname}?tab=${tab}`,
      )
      expect([
        page.headers.get('x-robots-tag'),
        page.headers.get('cache-control'),
        page.headers.getSetCookie(),
      ]).toEqual(['noindex, nofollow', 'private, no-store', []])
      expect(page.document.querySelector('meta[name="robots"]')!.getAttribute('content')).toBe('noindex')
      expect(page.document.querySelectorAll('form, input[name="csrf"], textarea')).toEqual([])
      expect(page.body).not.toContain(JO.email)
    }
    const json = await service.browser().get(`${link}?tab=json`)
    expect(json.document.querySelector('.result pre')!.text).toContain('"title": "The page /stored"')
    expect(service.app.requestCounts.get('/stored')).toBe(1)
  })

  test('is the same for its owner, who cannot change anything there', async () => {
    const page = await jo.get(await sharedLink(jo, '/own'))
    expect(page.document.querySelectorAll('main form')).toEqual([])
    expect(page.document.querySelector('form[action="/sign-out"]')).not.toBeNull()
  })

  test('shows edited tags', async () => {
    const result = await service.play(jo, '/edited')
    await jo.send(`${result.url.pathname}/tags`, { tags: '<meta property="og:title" content="A new title">' })
    const page = await service.browser().get(linkOn(await share(jo, result)))
    expect(page.document.querySelector('.card.facebook .t')!.text.trim()).toBe('A new title')
    expect(page.body).toContain('These cards show edited tags')
  })

  test('escapes what the page says', async () => {
    const link = await sharedLink(jo, '/hostile')
    for (const tab of ['previews', 'checks', 'json', 'sources']) {
      const { body, document } = await service.browser().get(`${link}?tab=${tab}`)
      expect(body).not.toContain(HOSTILE)
      expect(document.querySelectorAll('main script, [onerror], [src^="javascript"], [href^="javascript"]')).toEqual([])
    }
  })

  test('with very long edited tags is refused', async () => {
    const result = await service.play(jo, '/large')
    await jo.send(`${result.url.pathname}/tags`, { tags: '"'.repeat(40_000) })
    const refused = await share(jo, result)
    expect([refused.status, refused.document.querySelector('.notice.bad')!.text.trim()]).toEqual([
      409,
      'This result is too large to share.',
    ])
  })

  test('can be shared only by its owner, and only with the token of a form', async () => {
    const result = await service.play(jo, '/foreign')
    const ann = await service.signedIn(ANN)
    await ann.get(`${service.base}/playground`)
    expect((await ann.send(`${result.url.pathname}/share`)).status).toBe(404)
    expect((await jo.send(`${result.url.pathname}/share`, { csrf: 'forged' })).status).toBe(403)
    expect((await service.browser().send(`${service.base}${result.url.pathname}/share`)).url.pathname).toBe('/sign-in')
  })
})

describe('a link', () => {
  test.each([
    ['of another token', (token: string) => token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['in other case', (token: string) => token.toLowerCase()],
    ['cut', (token: string) => token.slice(0, -1)],
    ['with more', (token: string) => `${token}A`],
    ['of 10,000 characters', () => 'A'.repeat(10_000)],
    ['with a wildcard', () => '%25'],
    ['with a zero', () => '%00'],
    ['with invalid encoding', () => '%E0%A4%A'],
    ['that is empty', () => ''],
  ])('%s is not found', async (_, change) => {
    const link = new URL(await sharedLink(jo, '/forged'))
    const token = link.pathname.split('/').at(-1)!
    const page = await service.browser().get(`${service.base}/shared/${change(token)}`)
    expect(page.status).toBe(404)
    expect(page.body).not.toContain('/forged')
    await stopAll(jo)
  })

  test('works until it is stopped, which only its owner can do', async () => {
    const link = await sharedLink(jo, '/stopped')
    const list = await jo.get(`${service.base}/playground`)
    const stop = list.document.querySelector('form[action$="/stop"]')!.getAttribute('action')!
    expect(list.document.querySelector('tbody th')!.text.trim()).toBe(`${service.app.origin}/stopped`)
    expect(list.body).not.toContain(new URL(link).pathname)

    const ann = await service.signedIn(ANN)
    await ann.get(`${service.base}/playground`)
    await ann.send(stop)
    expect((await service.browser().get(link)).status).toBe(200)
    await jo.get(`${service.base}/playground`)
    expect((await jo.send(stop)).body).toContain('The link no longer works.')
    expect((await service.browser().get(link)).status).toBe(404)
  })

  test('ends after a week', async () => {
    const link = await sharedLink(jo, '/week')
    const expiresAtMs = Date.parse((await exportOf(jo)).shared_results[0].expires_at)
    expect(expiresAtMs - Date.now()).toBeWithin(6.99 * DAY_MS, 7 * DAY_MS + 1)
    expect((await service.browser().get(link)).body).toContain('This link works until')
  })

  test('ends with the account, and does not work while it is suspended', async () => {
    const ann = await service.signedIn(ANN)
    const link = await sharedLink(ann, '/leaving')
    const operator = await service.signedIn(OPERATOR)
    const users = await operator.get(`${service.base}/admin?q=${encodeURIComponent(ANN.email)}`)
    const user = users.document.querySelector('a[href^="/admin/users/"]')!.getAttribute('href')!
    await operator.get(service.base + user)
    await operator.send(`${user}/suspend`)
    expect((await service.browser().get(link)).status).toBe(404)
    await operator.get(service.base + user)
    await operator.send(`${user}/resume`)
    expect((await service.browser().get(link)).status).toBe(200)
    const again = await service.signedIn(ANN)
    await again.get(`${service.base}/account`)
    await again.send('/account/delete', { confirm: ANN.email })
    expect((await service.browser().get(link)).status).toBe(404)
  })

  test('a user has at most 20; one more is refused until one is stopped', async () => {
    await stopAll(jo)
    const result = await service.play(jo, '/many')
    for (let i = 0; i < MAX_SHARED_PER_USER; i++) expect((await share(jo, result)).status).toBe(200)
    const refused = await share(jo, result)
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('You have 20 shared results.')])
    await stopAll(jo)
    expect((await share(jo, result)).status).toBe(200)
  })

  test('the database has neither the token nor private addresses', async () => {
    const link = await sharedLink(jo, '/secret')
    const token = new URL(link).pathname.split('/').at(-1)!
    const exported = JSON.stringify(await exportOf(jo))
    expect(exported).toContain('/secret')
    expect(exported).not.toContain(token)
    const stored = databaseText(service.app.dataDir)
    expect([stored.includes(JO.email), stored.includes('"hops":['), stored.includes(token)]).toEqual([
      true,
      true,
      false,
    ])
    // The host of the requested URL is the address in these tests, so its verdict is searched for.
    expect(stored).not.toContain('"verdict":"loopback"')
  })
})

describe('a page to which a public page leads, on a private host that the operator allows', () => {
  const found = async (browser: Browser, path: string) => {
    const pages = await Promise.all(TABS.map((tab) => browser.get(`${path}?tab=${tab}`)))
    return INNER.filter((text) => pages.some(({ body }) => body.includes(text)))
  }

  test('no tab of a shared result has its address or host, and neither has the database, whoever shares it', async () => {
    for (const person of [JO, OPERATOR]) {
      const browser = await service.signedIn(person)
      const link = await sharedLink(browser, '/away')
      expect(await found(service.browser(), link)).toEqual([])
      const stored = databaseText(service.app.dataDir)
      expect([stored.includes('/away'), ...INNER.map((text) => stored.includes(text))]).toEqual([
        true,
        ...INNER.map(() => false),
      ])
      await stopAll(browser)
    }
  })

  test('no tab of a result has them, except for operators, who see the title in any case', async () => {
    const result = await service.play(jo, '/away')
    expect(await found(jo, result.url.pathname)).toEqual([])
    expect(result.document.querySelector('.card.facebook .t')!.text.trim()).toBe('On private.invalid')
    const operator = await service.signedIn(OPERATOR)
    expect(await found(operator, (await service.play(operator, '/away')).url.pathname)).toEqual(INNER)
  })

  test('a failed fetch does not have them either', async () => {
    const { body } = await service.play(jo, '/lost')
    expect([body.includes('HTTP 404'), ...INNER.map((text) => body.includes(text))]).toEqual([
      true,
      ...INNER.map(() => false),
    ])
  })
})

describe('views of a shared result', () => {
  test('are limited per link and client address, also by tab', async () => {
    await stopAll(jo)
    const [link, other] = [await sharedLink(jo, '/popular'), await sharedLink(jo, '/other')]
    const reader = service.browser()
    await withinMinute(20)
    for (let n = 0; n < VIEWS_PER_MINUTE; n++) {
      const tab = ['previews', 'checks', 'json', 'sources', 'timing', 'code'][n % 6]
      expect((await reader.request(`${link}?tab=${tab}`)).status).toBe(200)
    }
    const refused = await reader.get(link)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(1, 61)
    const message = `Rate limit exceeded: 60 requests per minute allowed per client address. Retry in ${seconds} seconds.`
    expect([refused.status, refused.document.querySelector('h1')!.text]).toEqual([429, 'Too many requests'])
    expect(refused.body).toContain(message)
    expect(await service.app.logged({ route: '/shared/:token', outcome: 'visitor_limit' })).toMatchObject({
      status: 429,
    })

    const asJson = await reader.request(link, { headers: { accept: 'application/json' } })
    const { error } = (await asJson.json()) as { error: string }
    expect([asJson.status, error]).toEqual([429, expect.stringContaining('Rate limit exceeded: 60 requests')])
    expect(Number(asJson.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await reader.request(link, { method: 'HEAD' })).status).toBe(429)

    // Neither other readers, nor other links, nor links that do not work.
    expect((await service.browser().get(link)).status).toBe(200)
    expect((await reader.get(other)).status).toBe(200)
    expect((await reader.get(`${link}A`)).status).toBe(404)
  })

  test('that do not work count toward no limit', async () => {
    const reader = service.browser()
    await withinMinute(20)
    for (let n = 0; n <= VIEWS_PER_MINUTE; n++)
      expect((await reader.request(`${service.base}/shared/${'A'.repeat(43)}`)).status).toBe(404)
  })
})

async function exportOf(browser: Browser) {
  return JSON.parse((await browser.get(`${service.base}/account/export`)).body)
}

describe('images of a shared result', () => {
  test('are not shown of a private host, and only with the link', async () => {
    const link = await sharedLink(jo, '/pictures')
    const page = await service.browser().get(link)
    expect(page.document.querySelector('.callout')!.text).toContain('The page is on a private host')
    const src = page.document.querySelector('.previews img')!.getAttribute('src')!
    expect(src).toContain('&shared=')
    // The origin of the test is a private host that the operator allows, for users only.
    expect((await service.browser().request(service.base + src)).status).toBe(404)
    const withoutLink = src.replace(/&shared=[^&]*/, '')
    expect((await service.browser().request(service.base + withoutLink)).headers.get('location')).toContain('/sign-in')
    expect((await jo.request(service.base + withoutLink)).status).toBe(404)
    expect((await service.browser().request(`${service.base}${withoutLink}&shared=forged`)).status).toBe(404)
  })
})

test('with URLMETA_SHARING=off nothing can be shared, and links do not work', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
  using stack = new DisposableStack()
  stack.defer(() => rmSync(dataDir, { recursive: true }))
  const start = (URLMETA_SHARING: string) =>
    startSignInApp({
      env: { URLMETA_SHARING, URLMETA_DATA_DIR: dataDir, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
      origin: () => new Response('<title>T</title>', { headers: HTML }),
    })
  let path: string
  {
    await using on = await start('on')
    const browser = await on.signedIn(JO)
    path = new URL(linkOn(await share(browser, await on.play(browser, '/')))).pathname
    expect((await on.browser().get(`${on.base}${path}`)).status).toBe(200)
  }
  await using off = await start('off')
  const browser = await off.signedIn(JO)
  await browser.get(`${off.base}/playground`)
  const result = await browser.send('/playground', { url: off.app.origin })
  expect(result.body).not.toContain('Share')
  const tried = await browser.send(`${result.url.pathname}/share`)
  expect([tried.status, tried.document.querySelector('.created')]).toEqual([200, null])
  expect((await browser.get(`${off.base}${path}`)).status).toBe(404)
})
