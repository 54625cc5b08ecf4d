import { describe, expect, test } from 'bun:test'

import type { FetchedPage } from '../../../src/core/fetch/ports.ts'
import { createExtractor } from '../../../src/service/lookup/extractor.ts'
import { tagsOfPage } from '../../../src/previews/tags/list-page-tags.ts'
import { pageTexts } from '../../../src/service/lookup/page-texts.ts'
import { createReader } from '../../../src/service/lookup/reader.ts'
import { startApp } from '../../http/app.ts'
import { settingsOf } from '../../settings.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }

describe('the memory of a page', () => {
  const url = new URL('https://site.test/a')

  function readerOf(status: number) {
    const page: FetchedPage = {
      url,
      status,
      kind: 'html',
      defense: null,
      bytes: new TextEncoder().encode('<title>A page</title><meta name="author" content="Jo Doe">'),
      charset: { encoding: 'utf-8', from: 'header' },
      trace: { hops: [] },
      [Symbol.dispose]() {
        page.bytes = new Uint8Array()
      },
    }
    const reader = createReader({
      fetcher: { fetch: async () => page, hasIcon: async () => false, oembed: async () => ({ failure: 'none' }) },
      renderer: null,
      extractor: createExtractor(() => 0),
      oembed: null,
      history: null,
      settings: settingsOf(),
      now: () => 0,
    })
    const budget = { userId: null, publicOnly: false, signal: new AbortController().signal, remainingMs: () => 1_000 }
    return { page, read: () => reader.read(url, budget) }
  }

  test('is free when its texts are made, with its tags', async () => {
    const { page, read } = readerOf(200)
    const reading = await read()
    expect(page.bytes.length).toBeGreaterThan(0)
    const { json, details } = pageTexts(reading, tagsOfPage)
    expect(page.bytes.length).toBe(0)
    expect(JSON.parse(json)).toMatchObject({ title: 'A page', meta: { author: 'Jo Doe' } })
    expect(JSON.parse(details!)).toMatchObject({ tags: { plain: { tags: [{ name: 'title' }, { name: 'author' }] } } })
  })

  test('is free when the page cannot be returned', async () => {
    const { page, read } = readerOf(404)
    await expect(read()).rejects.toMatchObject({ failure: 'http_status' })
    expect(page.bytes.length).toBe(0)
  })
})

describe('pages that use the same memory do not mix', () => {
  const SIZES = [1, 30_000, 100_000, 300_000, 520_000, 530_000, 900_000, 1_500_000]

  /** Without og:title, so that the page is read to its end, where its author is. */
  const pageOf = (name: string, size: number) =>
    `<title>Title ${name}</title><meta name="description" content="About ${name}">` +
    `<p>${`text of ${name} `.repeat(size / 16)}</p>` +
    `<script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","name":"Jo ${name}"}}</script>`

  test.each([
    ['in the main thread', '0'],
    ['in a worker', '1'],
  ])('%s', async (_, workers) => {
    await using app = await startApp({
      env: { URLMETA_WORKERS: workers, URLMETA_PLAN_FREE_PER_MINUTE: '100' },
      origin: ({ url }) => {
        const { pathname, searchParams } = new URL(url)
        return new Response(pageOf(pathname.slice(1), Number(searchParams.get('size'))), { headers: HTML })
      },
    })
    const key = await app.createKey()
    for (const round of ['Ada', 'Bea', 'Cleo']) {
      const found = await Promise.all(
        SIZES.map(async (size) => (await app.metadata(key, `/${round}-${size}?size=${size}`)).json()),
      )
      expect(found).toMatchObject(
        SIZES.map((size) => ({
          title: `Title ${round}-${size}`,
          description: `About ${round}-${size}`,
          meta: { author: `Jo ${round}-${size}` },
        })),
      )
    }
  })
})
