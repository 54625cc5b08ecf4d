import { describe, expect, test } from 'bun:test'

import { LIMIT_REACHED } from '../../../src/core/fetch/image-facts.ts'
import type { Caller, FetchedImage, Image } from '../../../src/core/fetch/ports.ts'
import { sharedCaller, userCaller, visitorCaller } from '../../../src/previews/service/preview-caller.ts'
import { createImageProxy, type SignedImageLink } from '../../../src/previews/service/image-proxy.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'

const IMAGE: Image = { mimeType: 'image/png', bytes: new Uint8Array([1]) }
const URL_OF_IMAGE = 'https://example.com/a.png'
/** The response for an image that exists. */
function found(url: URL): FetchedImage {
  return { facts: { url: url.href, problem: '', mimeType: 'image/png', bytes: 1, size: null }, image: IMAGE }
}

const signal = new AbortController().signal

/** An image proxy whose images always exist, with a clock that the test controls. */
function openProxy() {
  const clock = { nowMs: Date.parse('2026-11-20T12:00:00Z') }
  const fetched: string[] = []
  const proxy = createImageProxy({
    images: {
      async fetch(url) {
        fetched.push(url.href)
        return found(url)
      },
    },
    limiter: memoryRateLimiter(),
    secret: new Uint8Array(32).fill(7),
    now: () => clock.nowMs,
  })
  return { proxy, fetched, clock }
}

describe('a link', () => {
  test.each<
    [name: string, of: (link: SignedImageLink) => SignedImageLink, user: string, laterMs: number, isShown: boolean]
  >([
    ['unchanged', (link) => link, 'jo', 0, true],
    ['just before it expires', (link) => link, 'jo', 60 * 60_000 - 1, true],
    ['when it expires', (link) => link, 'jo', 60 * 60_000, false],
    ['of another user', (link) => link, 'ann', 0, false],
    ['to another image', (link) => ({ ...link, url: 'https://example.com/b.png' }), 'jo', 0, false],
    ['with a later expiry', (link) => ({ ...link, expiresAtMs: link.expiresAtMs + 1 }), 'jo', 0, false],
    ['without an expiry', (link) => ({ ...link, expiresAtMs: Number.NaN }), 'jo', 0, false],
    ['without a signature', (link) => ({ ...link, signature: '' }), 'jo', 0, false],
  ])('%s', async (_, of, user, laterMs, isShown) => {
    const { proxy, fetched, clock } = openProxy()
    const link = of(proxy.link(userCaller('jo'), URL_OF_IMAGE))
    clock.nowMs += laterMs
    expect(await proxy.fetch(userCaller(user), link, signal)).toEqual(isShown ? IMAGE : null)
    expect(fetched).toEqual(isShown ? [URL_OF_IMAGE] : [])
  })

  test('is the same for ten minutes, so that browsers find the image in their cache', () => {
    const { proxy, clock } = openProxy()
    clock.nowMs += 1
    const link = proxy.link(userCaller('jo'), URL_OF_IMAGE)
    expect(link.expiresAtMs - clock.nowMs).toBeGreaterThanOrEqual(60 * 60_000)
    clock.nowMs += 10 * 60_000 - 1
    expect(proxy.link(userCaller('jo'), URL_OF_IMAGE)).toEqual(link)
    clock.nowMs += 1
    expect(proxy.link(userCaller('jo'), URL_OF_IMAGE)).not.toEqual(link)
  })

  test.each(['ftp://example.com/a.png', 'data:image/png,x', 'a.png'])('to %s is refused', async (url) => {
    const { proxy, fetched } = openProxy()
    expect(await proxy.fetch(userCaller('jo'), proxy.link(userCaller('jo'), url), signal)).toBeNull()
    expect(fetched).toEqual([])
  })
})

function setUp() {
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  const proxy = createImageProxy({
    images: {
      fetch: async (url) => found(url),
    },
    limiter: memoryRateLimiter(),
    secret: new Uint8Array(32),
    now: () => clock.nowMs,
  })
  const fetchFor = (caller: Caller, path: string) =>
    proxy.fetch(caller, proxy.link(caller, `https://a.example${path}`), new AbortController().signal)
  const fetch = (userId: string, path: string) => fetchFor(userCaller(userId), path)
  const inspect = (userId: string, ...paths: string[]) =>
    proxy.inspect(
      userCaller(userId),
      paths.map((path) => `https://a.example${path}`),
      new AbortController().signal,
    )
  return { clock, fetch, fetchFor, inspect }
}

test('a URL that is not of http has only a problem', async () => {
  const { proxy } = openProxy()
  const [facts] = await proxy.inspect(userCaller('jo'), ['data:image/png,x'], signal)
  expect(facts).toEqual({
    url: 'data:image/png,x',
    problem: 'not an http(s) URL',
    mimeType: '',
    bytes: null,
    size: null,
  })
})

describe('images of one user', () => {
  test('are limited to 120 per minute', async () => {
    const { clock, fetch } = setUp()
    for (let n = 0; n < 120; n++) expect(await fetch('jo', '/fast')).toBe(IMAGE)
    expect(await fetch('jo', '/fast')).toBeNull()
    expect(await fetch('ann', '/fast')).toBe(IMAGE)
    clock.nowMs += 60_000
    expect(await fetch('jo', '/fast')).toBe(IMAGE)
  })
})

test('callers without an account have limits of their own per minute', async () => {
  const { fetchFor } = setUp()
  const callers = [visitorCaller('192.0.2.1'), visitorCaller('192.0.2.2'), sharedCaller('jo')]
  while ((await fetchFor(callers[0]!, '/fast')) !== null);
  expect(await fetchFor(callers[1]!, '/fast')).toBe(IMAGE)
  expect(await fetchFor(callers[2]!, '/fast')).toBe(IMAGE)
})

describe('inspecting', () => {
  test('gives the facts of each image once, in order', async () => {
    const { inspect } = setUp()
    expect((await inspect('jo', '/a', '/b', '/a')).map(({ url }) => url)).toEqual([
      'https://a.example/a',
      'https://a.example/b',
    ])
  })

  test('is limited to six images of a page', async () => {
    const { inspect } = setUp()
    expect(await inspect('jo', ...Array.from({ length: 7 }, (_, n) => `/${n}`))).toHaveLength(6)
  })

  test('counts toward the limits, and says so', async () => {
    const { fetch, inspect } = setUp()
    for (let n = 0; n < 119; n++) await fetch('jo', '/fast')
    expect((await inspect('jo', '/a', '/b')).map(({ problem }) => problem)).toEqual(['', LIMIT_REACHED])
  })
})
