import { describe, expect, test } from 'bun:test'

import { type Body, startApp, type TestApp } from './app.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const ICON = new Uint8Array([0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x10, 0x10])
const PLAIN = '<title>A page</title><body>'
const SHELL = '<title>Shell</title><link rel=icon href=/i><body><div id="root"></div><script></script>'

/** The relevant parts of a response. */
async function fetchParts(app: TestApp, key: string, path: string, parameters: Record<string, string> = {}) {
  const response = await app.metadata(key, path, parameters)
  const { title, favicon } = (await response.json()) as Body
  const header = (name: string) => response.headers.get(name)
  return { title, hasFavicon: favicon !== undefined, cache: header('x-cache'), provisional: header('x-provisional') }
}

describe('a favicon', () => {
  test('shared by many concurrent pages is requested once, and every response has it', async () => {
    const PAGES = 32
    const allRequested = Promise.withResolvers<void>()
    let pages = 0
    await using app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
      async origin(request) {
        if (request.url.endsWith('/favicon.ico')) {
          await allRequested.promise
          return new Response(ICON)
        }
        if (++pages === PAGES) allRequested.resolve()
        return new Response(PLAIN, { headers: HTML })
      },
    })
    const key = await app.createKey()
    const responses = await Promise.all(Array.from({ length: PAGES }, (_, i) => fetchParts(app, key, `/page/${i}`)))
    expect(responses).toEqual(
      responses.map(() => ({ title: 'A page', hasFavicon: true, cache: 'MISS', provisional: null })),
    )
    expect(app.requestCounts.get('/favicon.ico')).toBe(1)
  })

  test('that takes too long makes the response provisional: it is not cached, and the next one is complete', async () => {
    const released = Promise.withResolvers<void>()
    await using app = await startApp({
      async origin(request) {
        if (!request.url.endsWith('/favicon.ico')) return new Response(PLAIN, { headers: HTML })
        await released.promise
        return new Response(ICON)
      },
    })
    const key = await app.createKey()
    const early = await fetchParts(app, key, '/page', { timeout: '4000' })
    expect(early).toEqual({ title: 'A page', hasFavicon: false, cache: 'MISS', provisional: 'true' })
    released.resolve()
    const complete = { title: 'A page', hasFavicon: true, provisional: null }
    expect(await fetchParts(app, key, '/page')).toEqual({ ...complete, cache: 'MISS' })
    expect(await fetchParts(app, key, '/page')).toEqual({ ...complete, cache: 'HIT' })
    expect(app.requestCounts.get('/favicon.ico')).toBe(1)
  })

  test('that the site does not have does not make the response provisional', async () => {
    await using app = await startApp({
      origin: (request) => new Response(PLAIN, { headers: HTML, status: request.url.endsWith('.ico') ? 404 : 200 }),
    })
    const key = await app.createKey()
    const complete = { title: 'A page', hasFavicon: false, provisional: null }
    expect(await fetchParts(app, key, '/page')).toEqual({ ...complete, cache: 'MISS' })
    expect(await fetchParts(app, key, '/page')).toEqual({ ...complete, cache: 'HIT' })
  })
})

describe('a page that needs a browser gets its plain HTML', () => {
  test.each<[name: string, chromium: string, timeout: string, provisional: string | null, next: string]>([
    ['provisional when the browser does not start', '/bin/false', '10000', 'true', 'MISS'],
    ['provisional when too little time is left', '/bin/false', '1400', 'true', 'MISS'],
    ['not provisional when there is no browser', 'off', '10000', null, 'HIT'],
  ])('%s', async (_, chromium, timeout, provisional, next) => {
    await using app = await startApp({
      env: { URLMETA_CHROMIUM: chromium },
      origin: () => new Response(SHELL, { headers: HTML }),
    })
    const key = await app.createKey()
    const expected = { title: 'Shell', hasFavicon: true, provisional }
    expect(await fetchParts(app, key, '/', { timeout })).toEqual({ ...expected, cache: 'MISS' })
    expect(await fetchParts(app, key, '/', { timeout })).toEqual({ ...expected, cache: next })
  })
})
