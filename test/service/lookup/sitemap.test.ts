import { describe, expect, test } from 'bun:test'

import type { FetchedFile } from '../../../src/core/fetch/ports.ts'
import { MAX_SITEMAP_PAGES, readSitemap } from '../../../src/service/lookup/sitemap.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const urlset = (count: number, name = 'p') =>
  `<urlset>${Array.from({ length: count }, (_, n) => `<url><loc>https://a.example/${name}${n}</loc></url>`).join('')}</urlset>`
const index = (...names: string[]) =>
  `<sitemapindex>${names.map((name) => `<sitemap><loc>https://a.example/${name}</loc></sitemap>`).join('')}</sitemapindex>`

/** Reads `/start` of a site with these files. */
async function read(files: Record<string, string | Uint8Array | FetchedFile>) {
  const requested: string[] = []
  const fetcher = {
    async fetch(url: URL): Promise<FetchedFile> {
      const name = url.pathname.slice(1)
      requested.push(name)
      const file = files[name] ?? { url, status: 404, bytes: new Uint8Array() }
      if (typeof file === 'string') return { url, status: 200, bytes: bytesOf(file) }
      return file instanceof Uint8Array ? { url, status: 200, bytes: file } : file
    },
  }
  const sitemap = await readSitemap(fetcher, new URL('https://a.example/start'), AbortSignal.timeout(30_000))
  return { ...sitemap, requested }
}

describe('the pages of a sitemap', () => {
  test('are those of all sitemaps of an index, each once', async () => {
    const { urls, isCut } = await read({ start: index('1', '2'), 1: urlset(2), 2: Bun.gzipSync(urlset(3)) })
    expect(urls).toEqual(['https://a.example/p0', 'https://a.example/p1', 'https://a.example/p2'])
    expect(isCut).toBe(false)
  })

  test.each<[name: string, files: Record<string, string>, requested: string[]]>([
    ['of one sitemap', { start: urlset(MAX_SITEMAP_PAGES + 1) }, ['start']],
    ['of an index', { start: index('1', '2', '3'), 1: urlset(9_000), 2: urlset(9_000, 'q') }, ['start', '1', '2']],
  ])('are cut after 10,000: %s', async (_, files, expected) => {
    const { urls, isCut, requested } = await read(files)
    expect([urls.length, isCut, requested]).toEqual([MAX_SITEMAP_PAGES, true, expected])
  })

  test('have no line breaks and control characters, which a list of URLs cannot have', async () => {
    const { urls } = await read({
      start: '<urlset><loc>https://a.example/\nhttps://b.example\u202e\u009b</loc></urlset>',
    })
    expect(urls).toEqual(['https://a.example/https://b.example%E2%80%AE%C2%9B'])
  })

  test('are exactly 10,000 without being cut', async () => {
    const { urls, isCut } = await read({ start: urlset(MAX_SITEMAP_PAGES) })
    expect([urls.length, isCut]).toEqual([MAX_SITEMAP_PAGES, false])
  })

  test('of an index of 501 sitemaps are those of 500', async () => {
    const names = Array.from({ length: 501 }, (_, n) => `s${n}`)
    const files = Object.fromEntries(names.map((name) => [name, urlset(1, name)]))
    const { urls, isCut } = await read({ ...files, start: index(...names) })
    expect([urls.length, isCut]).toEqual([500, true])
  })

  test('of an index in an index are ignored', async () => {
    const { urls, requested } = await read({ start: index('1', '2'), 1: index('start'), 2: urlset(1) })
    expect([urls, requested]).toEqual([['https://a.example/p0'], ['start', '1', '2']])
  })

  test.each<[name: string, file: string | Uint8Array | FetchedFile, message: string]>([
    ['a status', { url: new URL('https://a.example/start'), status: 503, bytes: new Uint8Array() }, 'HTTP 503'],
    ['a problem', { problem: 'timed out' }, 'timed out'],
    ['another file', '{"pages":[]}', 'not a sitemap'],
    ['a broken gzip file', new Uint8Array([0x1f, 0x8b, 8, 0, 0]), 'not a gzip file'],
    ['more than 50 MB', new Uint8Array(50 * 1024 * 1024 + 1).fill(0x20), 'over 50 MB'],
    ['more than 50 MB, compressed', Bun.gzipSync(new Uint8Array(60 * 1024 * 1024)), 'over 50 MB'],
  ])('%s is an error that names the sitemap', async (_, file, message) => {
    await expect(read({ start: index('1'), 1: file })).rejects.toThrow(`Cannot read https://a.example/1: ${message}`)
  })
})
