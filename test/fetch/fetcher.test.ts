import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'

import { PageScan } from '../../src/core/extract/extract.ts'
import type { ContentKind } from '../../src/core/fetch/content-type.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import type { FetcherDeps } from '../../src/fetch/fetcher.ts'
import { turnBudget } from '../../src/fetch/response/turn-budget.ts'
import { responseBytes, openRawOrigin, pathOf, type RawOrigin } from '../origin/raw-origin.ts'
import { headerOf, openSite, page, type Route } from '../origin/site.ts'
import { useCpu } from '../use-cpu.ts'
import { budgetOf, GENEROUS_MS } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

async function fetchFrom(site: RawOrigin, path = '/', parts: Partial<FetcherDeps> = {}) {
  await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], parts)
  using budget = budgetOf()
  return await fetcher.fetch(new URL(`http://127.0.0.1:${site.port}${path}`), budget)
}

const textOf = ({ bytes, charset }: { bytes: Uint8Array; charset: { encoding: string } }): string =>
  new TextDecoder(charset.encoding as Bun.Encoding).decode(bytes)

describe('a request', () => {
  test('is one GET with the usual headers', async () => {
    await using site = await openSite({ '/a?b=[c]': page('<p>') })
    await fetchFrom(site, '/a?b=[c]#d', { userAgent: 'Mozilla/5.0 (compatible; urlmeta/1.0)' })
    expect(site.heads).toHaveLength(1)
    const head = site.heads[0] ?? ''
    expect(head).toStartWith('GET /a?b=[c] HTTP/1.1\r\n')
    expect(headerOf(head, 'Host')).toBe(`127.0.0.1:${site.port}`)
    expect(headerOf(head, 'User-Agent')).toBe('Mozilla/5.0 (compatible; urlmeta/1.0)')
    expect(headerOf(head, 'Accept')).toStartWith('text/html')
    expect(headerOf(head, 'Accept-Language')).toStartWith('en')
    expect(headerOf(head, 'Accept-Encoding')).toBe('gzip, deflate, br, zstd')
    expect(headerOf(head, 'Connection')).toBe('keep-alive')
    expect(head).not.toMatch(/^(Cookie|Referer|Authorization|Origin):/im)
  })

  test('ignores proxies in environment variables', async () => {
    await using site = await openSite({ '/': page('<p>') })
    await using proxy = await openRawOrigin((socket) => socket.end())
    const before = process.env['HTTP_PROXY']
    process.env['HTTP_PROXY'] = `http://127.0.0.1:${proxy.port}`
    try {
      expect((await fetchFrom(site)).status).toBe(200)
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY']
      else process.env['HTTP_PROXY'] = before
    }
    expect(proxy.connections()).toBe(0)
  })

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

  test.skipIf(!hasIpv6)('reaches an IPv6 address', async () => {
    await using site = await openSite({ '/': page('<p>') }, { host: '::1' })
    await using fetcher = fetcherFor([`[::1]:${site.port}`])
    using budget = budgetOf()
    expect((await fetcher.fetch(new URL(`http://[::1]:${site.port}/`), budget)).status).toBe(200)
    expect(headerOf(site.heads[0] ?? '', 'Host')).toBe(`[::1]:${site.port}`)
  })

  test('to a port without a listener is refused', async () => {
    await using fetcher = fetcherFor(['127.0.0.1'])
    using budget = budgetOf()
    await expect(fetcher.fetch(new URL('http://127.0.0.1:2/'), budget)).rejects.toMatchObject({
      failure: 'connection_refused',
      reason: 'connection refused',
    })
  })

  test('ends with the reason of the aborted signal', async () => {
    await using site = await openRawOrigin(() => {})
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    const controller = new AbortController()
    const reason = new Error('gone')
    const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), {
      signal: controller.signal,
      userId: null,
      publicOnly: false,
      remainingMs: () => GENEROUS_MS,
    })
    setTimeout(() => controller.abort(reason), 50)
    expect(await fetched.catch((error: unknown) => error)).toBe(reason)
  })

  test('is not started when the signal is already aborted', async () => {
    await using site = await openSite({})
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    const signal = AbortSignal.abort(new Error('gone'))
    const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), {
      userId: null,
      publicOnly: false,
      signal,
      remainingMs: () => 0,
    })
    await expect(fetched).rejects.toThrow('gone')
    expect(site.connections()).toBe(0)
  })

  test('ends when the fetcher is closed', async () => {
    await using site = await openRawOrigin(() => {})
    const fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget).catch(String)
    while (site.connections() === 0) await Bun.sleep(1)
    await fetcher[Symbol.asyncDispose]()
    expect(await fetched).toContain('The fetcher is closed')
  })
})

describe("the service's own port", () => {
  test('is refused although its address is allowed', async () => {
    await using site = await openSite({ '/': page('<p>') })
    await using fetcher = fetcherFor(['127.0.0.1'], { ownPorts: () => [site.port] })
    using budget = budgetOf()
    await expect(fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget)).rejects.toMatchObject({
      reason: 'address not allowed',
      cause: { refusal: 'own_address' },
    })
    expect(site.connections()).toBe(0)
  })
})

/** `今天的天气和新闻` in GBK, each byte as a character. */
const GBK_TITLE = '\xbd\xf1\xcc\xec\xb5\xc4\xcc\xec\xc6\xf8\xba\xcd\xd0\xc2\xce\xc5'

describe('a page', () => {
  test('is read, and its hops are traced', async () => {
    await using site = await openSite({ '/': page('<title>caf\u00e9</title>') })
    const { kind, charset, trace, ...result } = await fetchFrom(site)
    expect(textOf({ ...result, charset })).toBe('<title>caf\u00e9</title>')
    expect({ kind, charset }).toEqual({ kind: 'html', charset: { encoding: 'utf-8', from: 'valid utf-8' } })
    expect(trace.hops).toEqual([
      {
        url: `http://127.0.0.1:${site.port}/`,
        by: 'caller',
        isDowngrade: false,
        addresses: [{ address: '127.0.0.1', verdict: 'loopback', refusal: null }],
        resolvedBy: 'literal',
        attempts: [{ address: '127.0.0.1', error: null }],
        status: 200,
        contentType: 'text/html',
        contentEncoding: '',
        cookiesSent: [],
        cookiesSet: [],
        wireBytes: expect.any(Number),
        bodyBytes: 20,
        stopped: 'end',
        charset,
        timing: {
          queueMs: expect.any(Number),
          connectMs: expect.any(Number),
          firstByteMs: expect.any(Number),
          bodyMs: expect.any(Number),
        },
      },
    ])
  })

  test('that has to wait for another one says how long', async () => {
    await using site = await openRawOrigin((socket) => {
      setTimeout(() => socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<p>')), 50)
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { concurrency: 1 })
    using budget = budgetOf()
    const url = (path: string) => new URL(`http://127.0.0.1:${site.port}${path}`)
    const pages = await Promise.all(['/a', '/b', '/c'].map((path) => fetcher.fetch(url(path), budget)))
    const waits = pages.map(({ trace }) => trace.hops[0]!.timing.queueMs!).toSorted((a, b) => a - b)
    expect(waits.at(-1)).toBeGreaterThan(45)
  })

  test('that fails leaves its hops in the given trace', async () => {
    await using site = await openRawOrigin((socket) => socket.end('nonsense'))
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const trace: FetchTrace = { hops: [] }
    await expect(fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget, trace)).rejects.toThrow()
    expect(trace.hops).toMatchObject([{ failure: 'invalid response', attempts: [{ error: null }] }])
  })

  test.each<[string, Route, string, string]>([
    ['windows-1252 by the header', page('caf\xe9', 'text/html; charset=iso-8859-1'), 'windows-1252', 'header'],
    ['Shift_JIS by meta', page(Buffer.from('<meta charset=shift_jis>\x93\xfa', 'latin1')), 'shift_jis', 'meta'],
    ['UTF-16 by its byte-order mark', page(Buffer.from('\xff\xfea\0', 'latin1')), 'utf-16le', 'mark'],
    ['invalid UTF-8', page(Buffer.from('<p>caf\xe9</p>', 'latin1')), 'windows-1252', 'fallback'],
    ['undeclared GBK', page(Buffer.from(`<title>${GBK_TITLE}</title>`, 'latin1')), 'gbk', 'fallback'],
    [
      'Greek by lang',
      page(Buffer.from('<html lang=el><p>\xc5\xeb\xeb\xdc\xe4\xe1', 'latin1')),
      'iso-8859-7',
      'fallback',
    ],
  ])('in %s', async (_name, route, encoding, from) => {
    await using site = await openSite({ '/': route })
    expect((await fetchFrom(site)).charset).toEqual({ encoding, from } as never)
  })

  test.each<[string, Uint8Array, ContentKind, isRead: boolean]>([
    ['an image', page(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png'), 'image', false],
    ['a PDF', page('%PDF-1.7', 'application/pdf'), 'other', true],
    ['JSON', page('{}', 'application/json'), 'other', false],
    ['a JSON Feed', page('{}', 'application/feed+json'), 'other', true],
    ['a feed', page('<rss>', 'application/rss+xml'), 'other', true],
    ['a PDF declared as HTML', page('%PDF-1.7'), 'other', true],
    ['a page without Content-Type', responseBytes(200, {}, '<!doctype html><p>'), 'html', true],
    ['nothing', page(''), 'empty', false],
  ])('that is %s', async (_name, route, kind, isRead) => {
    await using site = await openSite({ '/': route })
    const result = await fetchFrom(site)
    expect(result.kind).toBe(kind)
    expect(result.bytes.length > 0).toBe(isRead)
  })

  test.each([400, 401, 404, 429, 500, 503])('with status %i is returned', async (status) => {
    await using site = await openSite({
      '/': responseBytes(status, { 'Content-Type': 'text/html' }, '<title>No</title>'),
    })
    expect(await fetchFrom(site)).toMatchObject({ status, kind: 'html' })
    expect(site.connections()).toBe(1)
  })
})

describe('reading', () => {
  /** Sends the parts one by one with a short delay, and then nothing. */
  const openSlow = (...parts: string[]) =>
    openRawOrigin((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')
      const next = () => {
        const part = parts.shift()
        if (part !== undefined) socket.write(part, () => setTimeout(next, 20))
      }
      next()
    })

  test('stops when the head is complete', async () => {
    await using site = await openSlow('<head><title>Early</title></head>', '<body>')
    const { bytes, trace } = await fetchFrom(site)
    expect(new TextDecoder().decode(bytes)).toStartWith('<head><title>Early</title></head>')
    expect(trace.hops[0]?.stopped).toBe('rest not needed')
  })

  test('recognizes a tag that is split between two chunks, in any case', async () => {
    await using site = await openSlow(`<title>${'a'.repeat(100)}</title></HE`, 'AD>')
    expect((await fetchFrom(site)).trace.hops[0]?.stopped).toBe('rest not needed')
  })

  test('passes each chunk to the scan once, with all bytes before it', async () => {
    const seen: string[] = []
    class Watched extends PageScan {
      override read(bytes: Uint8Array) {
        seen.push(new TextDecoder().decode(bytes))
        super.read(bytes)
      }
    }
    await using site = await openSlow('<p>1', '<p>2</head>', '<p>3', '<meta property=og:title content=x>', '</html>')
    const fetched = fetchFrom(site, '/', { startScan: (url) => new Watched(url) })
    while (!seen.at(-1)?.endsWith('</html>')) await Bun.sleep(5)
    await site[Symbol.asyncDispose]()
    const { scan, bytes } = await fetched
    expect(seen).toHaveLength(new Set(seen).size)
    expect(seen.at(-1)).toBe(new TextDecoder().decode(bytes))
    for (const [i, text] of seen.slice(1).entries()) expect(text).toStartWith(seen[i]!)
    expect(scan?.hasHeadEnded).toBe(true)
    expect(scan?.isDone).toBe(false)
  })

  test('stops inflating when the request is aborted', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    let parts = 0
    class AbortingScan extends PageScan {
      override read() {
        parts++
        controller.abort(reason)
      }
    }
    const body = gzipSync('<p>'.repeat(500_000))
    await using site = await openSite({
      '/': responseBytes(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }, body),
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { startScan: (url) => new AbortingScan(url) })
    const budget = { signal: controller.signal, userId: null, publicOnly: false, remainingMs: () => GENEROUS_MS }
    const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget)
    expect(await fetched.catch((error: unknown) => error)).toBe(reason)
    expect(parts).toBe(1)
  })

  describe('continues in later turns of the event loop when a page takes long', () => {
    /** Each part takes longer than the budget of a turn. */
    class Slow extends PageScan {
      readonly ends: number[] = []
      override read(bytes: Uint8Array) {
        this.ends.push(bytes.length)
        useCpu(20)
        super.read(bytes)
      }
    }
    const html = `<head></head>${'<p>'.repeat(100_000)}`
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: `

    test.each<[string, string, string]>([
      ['and the response ends', `${head}${html.length}\r\n\r\n${html}`, 'end'],
      ['and the connection is lost', `${head}${html.length + 1}\r\n\r\n${html}`, 'connection lost'],
    ])('%s', async (_, response, stopped) => {
      await using site = await openRawOrigin((socket) => socket.end(response))
      const turns: number[] = []
      let slow: Slow | undefined
      const startScan = (url: URL) => (slow = new Slow(url))
      const timer = setInterval(() => turns.push(slow?.ends.length ?? 0), 1)
      const { bytes, trace } = await fetchFrom(site, '/', { startScan })
      clearInterval(timer)
      expect(trace.hops[0]).toMatchObject({ stopped, bodyBytes: html.length })
      expect(bytes.length).toBe(html.length)
      expect(slow?.ends.at(-1)).toBe(html.length)
      const sizes = slow!.ends.map((end, i) => end - (slow!.ends[i - 1] ?? 0))
      expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536)
      // Timers ran between the parts.
      expect(new Set(turns).size).toBeGreaterThanOrEqual(sizes.length - 1)
    })
  })

  test('does not wait for a turn to convert the page after the request is aborted', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    let isFinished = false
    const spin = () => {
      if (isFinished) return false
      useCpu(10)
      return true
    }
    class BusyScan extends PageScan {
      override read() {
        for (let i = 0; i < 100; i++) turnBudget.repeat(spin, null)
        setTimeout(() => controller.abort(reason), 1)
      }
    }
    await using site = await openSite({ '/': page(Buffer.from('\xff\xfea\0', 'latin1')) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { startScan: (url) => new BusyScan(url) })
    const budget = { signal: controller.signal, userId: null, publicOnly: false, remainingMs: () => GENEROUS_MS }
    const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget)
    expect(await fetched.catch((error: unknown) => error)).toBe(reason)
    isFinished = true
  })

  test('calls `beforeStep` before each part of a page is scanned, and before the page is asked for a refresh', async () => {
    const steps: string[] = []
    const note = (step: string) => void steps.push(step)
    class NotedScan extends PageScan {
      override read(bytes: Uint8Array) {
        note('scan')
        super.read(bytes)
      }
    }
    const refreshOf = () => {
      note('refresh')
      return null
    }
    await using site = await openSite({ '/': page('<title>T</title>') })
    const parts = { startScan: (url: URL) => new NotedScan(url), refreshOf }
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], parts)
    using budget = budgetOf()
    await fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), { ...budget, beforeStep: () => note('step') })
    expect(steps).toEqual(['step', 'scan', 'step', 'refresh'])
  })

  test('truncates a page at 2 MB', async () => {
    await using site = await openSite({ '/': page('<p>'.repeat(1_000_000)) })
    const { bytes, trace } = await fetchFrom(site)
    expect(bytes.length).toBe(2 * 1024 * 1024)
    expect(trace.hops[0]).toMatchObject({ stopped: 'cap', bodyBytes: 2 * 1024 * 1024 })
  })
})

describe('a site that refuses non-browsers', () => {
  const isBrowser = (head: string) => headerOf(head, 'User-Agent').includes('Chrome/')
  const picky =
    (status: number): Route =>
    (head) =>
      isBrowser(head) ? page('<title>Welcome</title>') : responseBytes(status, {})

  test.each([403, 406])('with %i is requested again as a browser', async (status) => {
    await using site = await openSite({ '/': picky(status) })
    const { status: last, trace } = await fetchFrom(site)
    expect(last).toBe(200)
    expect(trace.hops.map(({ by }) => by)).toEqual(['caller', 'retry as browser'])
  })

  test('twice is not requested a third time', async () => {
    await using site = await openSite({ '/': responseBytes(403, {}) })
    expect((await fetchFrom(site)).status).toBe(403)
    expect(site.connections()).toBe(2)
  })

  test('and fails on the retry has its first response used', async () => {
    await using site = await openSite({ '/': (head) => (isBrowser(head) ? Buffer.from('x') : responseBytes(403, {})) })
    const { status, trace } = await fetchFrom(site)
    expect(status).toBe(403)
    expect(trace.hops[1]?.failure).toBe('invalid response')
  })

  test.each([401, 404, 429, 503])('with %i is not requested again', async (status) => {
    await using site = await openSite({ '/': picky(status) })
    expect((await fetchFrom(site)).status).toBe(status)
    expect(site.connections()).toBe(1)
  })

  test('is not requested again when little time is left', async () => {
    await using site = await openSite({ '/': picky(403) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const hurried = { ...budget, remainingMs: () => 900 }
    expect((await fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), hurried)).status).toBe(403)
    expect(site.connections()).toBe(1)
  })

  test('is not requested again when the operator disabled it', async () => {
    await using site = await openSite({ '/': picky(403) })
    expect((await fetchFrom(site, '/', { isDefaultUserAgent: false })).status).toBe(403)
    expect(site.connections()).toBe(1)
  })
})

describe('many requests', () => {
  test('are limited in number at a time', async () => {
    let open = 0
    let most = 0
    await using site = await openRawOrigin((socket) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        socket.end(page('<p>'))
      }, 20)
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { concurrency: 3 })
    using budget = budgetOf()
    const url = new URL(`http://127.0.0.1:${site.port}/`)
    await Promise.all(Array.from({ length: 12 }, () => fetcher.fetch(url, budget)))
    expect(most).toBe(3)
  })

  test('to one host leave slots for others', async () => {
    await using silent = await openRawOrigin(() => {})
    await using site = await openSite({ '/': page('<p>') })
    await using fetcher = fetcherFor(['127.0.0.1'], { concurrency: 20 })
    using shortBudget = budgetOf(5_000)
    using budget = budgetOf()
    const silentUrl = new URL(`http://127.0.0.1:${silent.port}/`)
    const waiting = Array.from({ length: 30 }, () =>
      fetcher.fetch(silentUrl, shortBudget).catch(() => 'given up' as const),
    )
    const page1 = await Promise.race([fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/`), budget), ...waiting])
    expect(page1).toMatchObject({ status: 200 })
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'given up'))
    expect(silent.connections()).toBe(16)
  })
})

describe('one user who requests slow pages', () => {
  test.each([
    ['all slots of the host', { requests: 40, concurrency: 64, held: 16 }],
    ['all slots', { requests: 40, concurrency: 4, held: 4 }],
  ])('can use %s, and another user is still served', async (_, { requests, concurrency, held }) => {
    await using site = await openRawOrigin((socket, head) => {
      if (pathOf(head) === '/page') socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<p>'))
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { concurrency })
    using longBudget = budgetOf(GENEROUS_MS, 'jo')
    const hanging = Array.from({ length: requests }, (_unused, i) =>
      fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/hang/${i}`), longBudget).catch(() => null),
    )
    while (site.connections() < held) await Bun.sleep(5)
    using other = budgetOf(GENEROUS_MS, 'ann')
    const { status } = await fetcher.fetch(new URL(`http://127.0.0.1:${site.port}/page`), other)
    expect({ status, connections: site.connections() }).toEqual({ status: 200, connections: held + 1 })
    await fetcher[Symbol.asyncDispose]()
    await Promise.all(hanging)
  })
})
