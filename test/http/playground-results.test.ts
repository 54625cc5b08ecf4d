import { afterAll, beforeAll, expect, test } from 'bun:test'

import { ANN, JO } from '../identity/people.ts'
import type { Browser, Visited } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PAGE = '<!doctype html><title>A page</title><meta property="og:title" content="Northern lights">'
const RTL_TITLE = 'האורות הצפוניים'
const RTL_PAGE = `<!doctype html><title>${RTL_TITLE}</title><meta name="description" content="${RTL_TITLE} 2026">`

let service: SignInApp
let jo: Browser
let ann: Browser
beforeAll(async () => {
  service = await startSignInApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    origin: (request) => new Response(request.url.endsWith('/hebrew') ? RTL_PAGE : PAGE, { headers: HTML }),
  })
  jo = await service.signedIn(JO)
  ann = await service.signedIn(ANN)
})
afterAll(() => service[Symbol.asyncDispose]())

async function play(browser: Browser, fields: Record<string, string>): Promise<Visited> {
  await browser.get('/playground')
  return browser.send('/playground', { timeout: '5000', ...fields })
}

/** The text of the summary above the tabs. */
const summaryOf = ({ document }: Visited) => document.querySelector('.outcome')?.text.replace(/\s+/g, ' ').trim()

const pathOf = (path: string) => service.app.origin + path

test('submitting the form redirects to the page of the result, which can be reloaded without another request', async () => {
  const result = await play(jo, { url: pathOf('/reload') })
  expect([result.status, result.url.pathname]).toEqual([
    200,
    expect.stringMatching(/^\/playground\/results\/[\w-]{43}$/),
  ])
  const used = (page: Visited) => page.document.querySelector('.ask .hint')!.text
  for (let i = 0; i < 2; i++) {
    const reloaded = await jo.get(result.url.href)
    expect([reloaded.status, summaryOf(reloaded), used(reloaded)]).toEqual([200, summaryOf(result), used(result)])
  }
  expect(service.app.requestCounts.get('/reload')).toBe(1)
})

test('the page of a result has the form as it was submitted', async () => {
  const { document } = await play(jo, { url: pathOf('/form'), timeout: '4000', fresh: 'true' })
  const value = (name: string) => document.querySelector(`.ask [name="${name}"]`)!.getAttribute('value')
  expect([value('url'), value('timeout')]).toEqual([pathOf('/form'), '4000'])
  expect(document.querySelector('.ask [name="fresh"]')!.hasAttribute('checked')).toBe(true)
  expect(document.querySelector('.options')!.hasAttribute('open')).toBe(true)
})

test('a form that is too long is refused, and truncated before it is stored', async () => {
  const page = await play(jo, { url: 'x'.repeat(100_000), timeout: '1'.repeat(100_000) })
  expect([page.status, page.body]).toEqual([400, expect.stringContaining('longer than 8192 characters')])
  expect(page.body.length).toBeLessThan(20_000)
})

test('other users cannot see a result', async () => {
  const { url } = await play(jo, { url: pathOf('/own') })
  const ofAnother = await ann.get(url.href)
  expect([ofAnother.status, ofAnother.body]).toEqual([404, expect.stringContaining('no longer available')])
  expect(ofAnother.body).not.toContain('/own')
  expect((await service.browser().get(url.href)).url.pathname).toBe('/sign-in')
})

test('an unknown result says how long results are kept, and offers the form', async () => {
  const page = await jo.get(`${service.base}/playground/results/unknown`)
  expect([page.status, page.body]).toEqual([404, expect.stringContaining('Results are kept for an hour.')])
  expect(page.document.querySelector('.ask [name="url"]')!.getAttribute('value')).toBe('')
})

test.each([
  ['previews', '.previews .card'],
  ['checks', '.result .checks'],
  ['json', '.result .code'],
  ['sources', '.sources'],
  ['timing', '.timing'],
  ['code', '.langs'],
])('the tab %s is a separate page', async (tab, content) => {
  const { url, document: first } = await play(jo, { url: pathOf('/tabs') })
  const href = first.querySelectorAll('.result .tabs a').map((link) => link.getAttribute('href')!)
  const { document, status } = await jo.get(service.base + href.find((path) => path.endsWith(`?tab=${tab}`)))
  expect(status).toBe(200)
  expect(document.querySelectorAll('.result .tabs [aria-current]').map(({ text }) => text.toLowerCase())).toEqual([
    expect.stringMatching(new RegExp(`^${tab}\\b`)),
  ])
  expect(document.querySelector(content)).not.toBeNull()
  expect(document.querySelectorAll('.result > div')).toHaveLength(1)
  expect(url.search).toBe('')
})

test('a cached result has the sources, the reason of the method and the timing of its first fetch', async () => {
  expect(summaryOf(await play(jo, { url: pathOf('/cached') }))).toStartWith('200 Fetched just now in')
  const result = await play(jo, { url: pathOf('/cached') })
  expect(summaryOf(result)).toStartWith('200 From cache, fetched just now')
  const tab = async (name: string) => (await jo.get(`${result.url.href}?tab=${name}`)).document
  expect((await tab('sources')).querySelector('.sources')!.text).toContain('og:title')
  expect((await tab('timing')).querySelector('.details')!.text).toContain('The page has no scripts.')
  expect((await tab('timing')).querySelectorAll('.hops > li')).toHaveLength(1)
  expect(service.app.requestCounts.get('/cached')).toBe(1)
})

test('the API returns the same bytes from the cache', async () => {
  const key = await service.app.createKey(JO.email)
  const bodies = []
  for (let i = 0; i < 3; i++) bodies.push(await (await service.app.metadata(key, '/bytes')).text())
  expect(new Set(bodies).size).toBe(1)
  expect(Object.keys(JSON.parse(bodies[0]!))).toEqual([
    'url',
    'title',
    'fetched_at',
    'fetch_method',
    'response_time_ms',
  ])
})

test('a URL without a scheme gets https; the page says so and offers http', async () => {
  const result = await play(jo, { url: `${new URL(service.app.origin).host}/plain` })
  const note = result.document.querySelector('form.scheme')!
  expect(note.text).toContain('The URL had no scheme, so https:// was used.')
  const field = result.document.querySelector('.ask [name="url"]')!
  expect(field.getAttribute('value')).toBe(pathOf('/plain').replace('http:', 'https:'))
  expect(result.body).toContain('TLS')

  const url = note.querySelector('[name="url"]')!.getAttribute('value')!
  expect(url).toBe(pathOf('/plain'))
  const plain = await jo.send('/playground', { url, timeout: '5000' })
  expect(summaryOf(plain)).toStartWith('200 Fetched just now in')
  expect(plain.document.querySelector('form.scheme')).toBeNull()
})

test('the usage page shows the requests of the playground alone', async () => {
  const key = await service.app.createKey(ANN.email)
  await service.app.metadata(key, '/by-key')
  await play(ann, { url: pathOf('/by-playground') })
  const successful = async (path: string) =>
    Number((await ann.get(service.base + path)).document.querySelector('.stats dd')!.text)
  const page = await ann.get(`${service.base}/usage?key=playground`)
  expect(page.document.querySelector('#key option[selected]')!.text.trim()).toBe('Playground')
  expect(await successful('/usage?key=playground')).toBeGreaterThan(0)
  expect(await successful('/usage?key=playground')).toBeLessThan(await successful('/usage'))
})

test('the page is opened in a new tab, which cannot reach this one', async () => {
  const { document } = await play(jo, { url: pathOf('/open') })
  const link = document.querySelector('.outcome a')!
  expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual(['_blank', 'noreferrer'])
})

test('text of a page that is written from right to left has its own direction', async () => {
  const result = await play(jo, { url: pathOf('/hebrew') })
  for (const [tab, content, least] of [
    ['previews', '.card', 7],
    ['sources', '.sources', 2],
  ] as const) {
    const { document } = await jo.get(`${result.url.href}?tab=${tab}`)
    const texts = document.querySelectorAll(`${content} *`).filter(({ childNodes, text }) => {
      return text.includes(RTL_TITLE) && childNodes.every(({ nodeType }) => nodeType === 3)
    })
    expect(texts.length).toBeGreaterThanOrEqual(least)
    expect(texts.filter((element) => element.closest('[dir="auto"], bdi') === null).map(String)).toEqual([])
  }
})
