import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createImageFetcher, withImageCache } from '../../src/fetch/images.ts'
import { avif, png, svg } from '../origin/images.ts'
import { openRawOrigin } from '../origin/raw-origin.ts'
import { networkOptionsFor } from './network-options.ts'

const MB = 1024 * 1024
const LIMIT = 5 * MB

/** A PNG with the given file size. */
function heavy(bytes: number): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(bytes)
  image.set(png(1200, 630))
  return image
}

const PAGES: Record<string, (request: Request) => Response> = {
  '/a.png': () => typed(png(1200, 630), 'image/png'),
  '/slow.png': () => typed(png(3, 2), 'image/png'),
  '/untyped': () => new Response(png(3, 2).slice()),
  '/as-html': () => typed(png(3, 2), 'text/html'),
  '/a.svg': () => typed(svg('width="24" height="12"'), 'image/svg+xml'),
  '/8000x8000.png': () => typed(png(8_000, 8_000), 'image/png'),
  '/8001x8000.png': () => typed(png(8_001, 8_000), 'image/png'),
  // Like i.redd.it.
  '/negotiated': ({ headers }) =>
    headers.get('accept')?.includes('html') ? Response.redirect('/page') : typed(png(3, 2), 'image/png'),
  '/unknown.png': () => typed(png(3, 2).subarray(0, 20), 'image/png'),
  '/icon.ico': () => typed(Uint8Array.of(0, 0, 1, 0, 1, 0), 'image/x-icon'),
  '/a.jxl': () => typed(Uint8Array.fromHex('ff0aaa13e8958080e2420802'), 'image/jxl'),
  '/by-brand': () => typed(avif(3, 2, { brands: ['mif1', 'avif'] }), 'image/avif'),
  '/a.heic': () => typed(avif(3, 2, { brands: ['heic', 'mif1'] }), 'image/heic'),
  '/a.tiff': () => typed(new TextEncoder().encode('II*\0\b\0\0\0'), 'image/tiff'),
  '/a.psd': () => new Response('8BPS\0\u0001'),
  '/a.tga': () => typed(Uint8Array.of(0, 0, 2, 0, 0, 0, 0, 0), 'image/x-icon'),
  '/gone': () => new Response('gone', { status: 404 }),
  '/page': () => typed(new TextEncoder().encode('<!doctype html><title>T</title>'), 'text/html; charset=utf-8'),
  '/page.png': () => typed(new TextEncoder().encode('not found'), 'image/png'),
  '/empty': () => new Response(null, { headers: { 'content-type': 'image/png' } }),
  '/moved': () => Response.redirect('/a.png'),
  '/hops/1': () => Response.redirect('/a.png'),
  ...Object.fromEntries([2, 3, 4, 5, 6].map((hops) => [`/hops/${hops}`, () => Response.redirect(`/hops/${hops - 1}`)])),
  '/most': () => typed(heavy(LIMIT), 'image/png'),
  '/more': () => typed(heavy(LIMIT + 1), 'image/png'),
  '/much': () => typed(heavy(LIMIT + MB), 'image/png'),
  '/stream': () => new Response(streamed(heavy(LIMIT + MB)), { headers: { 'content-type': 'image/png' } }),
}

/** A body whose length is not declared. */
async function* streamed(bytes: Uint8Array) {
  yield bytes.subarray(0, MB)
  yield bytes.subarray(MB)
}

function typed(bytes: Uint8Array, type: string): Response {
  return new Response(new Blob([bytes.slice()]), { headers: { 'content-type': type } })
}

const held: string[] = []
const released = Promise.withResolvers<void>()

let origin: ReturnType<typeof Bun.serve>
let images: ReturnType<typeof createImageFetcher>
beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/slow.png' && held.push(pathname) > 0) await released.promise
      return PAGES[pathname]?.(request) ?? new Response(null, { status: 500 })
    },
  })
  images = createImageFetcher(networkOptionsFor([`127.0.0.1:${origin.port}`]))
})
afterAll(async () => {
  images[Symbol.dispose]()
  await origin.stop(true)
})

const CALLER = { userId: 'jo', publicOnly: false }

const fetchImage = (path: string, caller = CALLER) =>
  images.fetch(new URL(path, origin.url), new AbortController().signal, caller)

describe('facts', () => {
  test.each([
    ['/a.png', 'image/png', 1200, 630, true],
    ['/untyped', 'image/png', 3, 2, true],
    ['/as-html', 'image/png', 3, 2, true],
    ['/moved', 'image/png', 1200, 630, true],
    ['/hops/5', 'image/png', 1200, 630, true],
    ['/negotiated', 'image/png', 3, 2, true],
    ['/most', 'image/png', 1200, 630, true],
    ['/8000x8000.png', 'image/png', 8_000, 8_000, true],
    ['/a.svg', 'image/svg+xml', 24, 12, false],
    ['/a.jxl', 'image/jxl', 1200, 630, true],
    ['/by-brand', 'image/avif', 3, 2, true],
  ])('%s', async (path, mimeType, width, height, isShown) => {
    const { facts, image } = await fetchImage(path)
    expect(facts).toMatchObject({ url: new URL(path, origin.url).href, problem: '', mimeType, size: { width, height } })
    expect(image !== null).toBe(isShown)
  })

  test('an icon whose size is unknown is shown', async () => {
    const { facts, image } = await fetchImage('/icon.ico')
    expect([facts.problem, image?.mimeType]).toEqual(['', 'image/x-icon'])
  })

  test('the file size is the size of the body', async () => {
    expect((await fetchImage('/most')).facts.bytes).toBe(LIMIT)
  })
})

test('an image in chunks of 512 bytes', async () => {
  const bytes = heavy(LIMIT)
  const chunks = Array.from({ length: LIMIT / 512 }, (_, i) => [
    '200\r\n',
    bytes.subarray(i * 512, (i + 1) * 512),
    '\r\n',
  ])
  const body = Buffer.concat(chunks.flat().map((part) => Buffer.from(part)))
  await using raw = await openRawOrigin((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write(body)
    socket.end('0\r\n\r\n')
  })
  using fetcher = createImageFetcher(networkOptionsFor([`127.0.0.1:${raw.port}`]))
  const url = new URL(`http://127.0.0.1:${raw.port}/`)
  const { facts } = await fetcher.fetch(url, new AbortController().signal, CALLER)
  expect(facts).toMatchObject({ problem: '', bytes: LIMIT })
})

describe('a failed image has the reason', () => {
  test.each([
    ['/gone', 'HTTP 404'],
    ['/unknown.png', 'image of unknown size'],
    ['/hops/6', 'too many redirects'],
    ['/page', 'not an image: text/html'],
    ['/page.png', 'not an image, although declared as image/png'],
    ['/a.heic', 'image/heic is not supported'],
    ['/a.tiff', 'image/tiff is not supported'],
    ['/a.psd', 'image/vnd.adobe.photoshop is not supported'],
    ['/a.tga', 'not an image, although declared as image/x-icon'],
    ['/empty', 'empty response'],
    ['/more', 'over 5 MB'],
    ['/much', '6 MB, over 5 MB'],
    ['/stream', 'over 5 MB'],
    ['/8001x8000.png', '8001 × 8000, over 64 million pixels'],
  ])('%s: %s', async (path, problem) => {
    expect(await fetchImage(path)).toMatchObject({ facts: { problem, size: null }, image: null })
  })

  test.each([
    ['http://127.0.0.1:1/a.png', 'address not allowed'],
    ['http://[::1]/a.png', 'address not allowed'],
  ])('%s: %s', async (url, problem) => {
    const { facts } = await images.fetch(new URL(url), new AbortController().signal, CALLER)
    expect(facts.problem).toBe(problem)
  })

  test('an aborted request', async () => {
    const { facts } = await images.fetch(new URL('/a.png', origin.url), AbortSignal.abort(), CALLER)
    expect(facts.problem).toBe('timed out')
  })
})

test('slow images of one user from many hosts take a quarter of the slots', async () => {
  const waiting: (() => void)[] = []
  const serve = () =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async () => (await new Promise<void>((release) => waiting.push(release)), typed(png(3, 2), 'image/png')),
    })
  const hosts = Array.from({ length: 12 }, serve)
  using fetcher = createImageFetcher(networkOptionsFor(hosts.map(({ port }) => `127.0.0.1:${port}`)))
  const fetchAs = (userId: string, { url }: { url: URL }) =>
    fetcher.fetch(new URL('/a.png', url), new AbortController().signal, { ...CALLER, userId })
  const slow = hosts.flatMap((host) => [fetchAs('jo', host), fetchAs('jo', host)])
  while (waiting.length < 8) await Bun.sleep(1)
  const others = hosts.slice(0, 8).map((host, n) => fetchAs(`user ${n}`, host))
  while (waiting.length < 16) await Bun.sleep(1)
  expect(waiting).toHaveLength(16)
  const releasing = setInterval(() => waiting.splice(0).forEach((release) => release()), 1)
  const outcomes = await Promise.all([...slow, ...others])
  clearInterval(releasing)
  expect(outcomes.map(({ facts }) => facts.problem)).toEqual(outcomes.map(() => ''))
  await Promise.all(hosts.map((host) => host.stop(true)))
})

test('slow images of one user do not delay the image of another, and are all fetched', async () => {
  const slow = Array.from({ length: 20 }, () => fetchImage('/slow.png'))
  while (held.length < 4) await Bun.sleep(1)
  expect((await fetchImage('/a.png', { ...CALLER, userId: 'ann' })).image).not.toBeNull()
  released.resolve()
  expect((await Promise.all(slow)).map(({ facts }) => facts.problem)).toEqual(slow.map(() => ''))
})

test('kept images are requested once, even if their place is taken meanwhile, and those that time out again', async () => {
  const requested: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const kept = withImageCache({
    async fetch({ href, pathname }) {
      requested.push(pathname)
      if (pathname === '/slow') await promise
      const problem = pathname === '/late' ? 'timed out' : ''
      const facts = { url: href, problem, mimeType: 'image/png', bytes: LIMIT, size: null }
      return { facts, image: { mimeType: 'image/png', bytes: new Uint8Array(LIMIT) } }
    },
  })
  const fetchKept = (path: string) =>
    kept.fetch(new URL(path, 'https://a.example'), AbortSignal.timeout(5_000), { userId: null, publicOnly: false })
  const slow = [fetchKept('/slow'), fetchKept('/slow')]
  for (const path of ['/a', '/a', '/late', '/late']) await fetchKept(path)
  expect(requested).toEqual(['/slow', '/a', '/late', '/late'])
  for (let n = 0; n < 20; n++) await fetchKept(`/${n}`)
  resolve()
  expect((await Promise.all(slow)).map(({ facts }) => facts.url)).toEqual(Array(2).fill('https://a.example/slow'))
})

test('a caller who may not request private hosts gets no image that was kept for another caller', async () => {
  const requested: boolean[] = []
  const kept = withImageCache({
    async fetch({ href: url }, _, { publicOnly }) {
      requested.push(publicOnly)
      const problem = publicOnly ? 'address not allowed' : ''
      return { facts: { url, problem, mimeType: '', bytes: null, size: null }, image: null }
    },
  })
  const problemFor = async (publicOnly: boolean) => {
    const caller = { userId: null, publicOnly }
    return (await kept.fetch(new URL('http://127.0.0.1/a'), AbortSignal.timeout(5_000), caller)).facts.problem
  }
  expect([await problemFor(false), await problemFor(true), await problemFor(false)]).toEqual([
    '',
    'address not allowed',
    '',
  ])
  expect(requested).toEqual([false, true])
})
