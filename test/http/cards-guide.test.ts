import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../free-port.ts'
import { pageTree } from '../page-tree.ts'
import { type Body, startApp, type TestApp } from './app.ts'

// The code of docs/cards.md, as a reader would copy it.

type PreviewOf = (url: string, store: Store, options: { server: string; key: string }) => Promise<Body | null>

interface Store {
  get(url: string): Promise<Body | null>
  set(url: string, metadata: Body, seconds: number): Promise<void>
}

const dir = mkdtempSync(join(tmpdir(), 'urlmeta-guide-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Imports the code block with this name, between lines of code of the test. */
async function codeOf<Module>(name: string, language = 'ts', before = '', after = ''): Promise<Module> {
  const guide = await Bun.file(join(import.meta.dir, '../../docs/cards.md')).text()
  const [, code] = new RegExp(`^\`\`\`${language} ${name}\\n(.*?)^\`\`\``, 'ms').exec(guide)!
  const path = join(dir, `${name}.${language}`)
  await Bun.write(path, `${before}\n${code}\n${after}`)
  return (await import(path)) as Module
}

describe('previewOf', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startApp({
      origin: ({ url }) =>
        url.endsWith('/gone')
          ? new Response('', { status: 404 })
          : new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } }),
    })
    key = await app.createKey()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  function memory(): Store & { seconds: number[] } {
    const stored = new Map<string, Body>()
    const seconds: number[] = []
    return {
      seconds,
      get: async (url) => stored.get(url) ?? null,
      async set(url, metadata, expiry) {
        stored.set(url, metadata)
        seconds.push(expiry)
      },
    }
  }

  test('returns the metadata of a URL with a query, and stores it', async () => {
    const { previewOf } = await codeOf<{ previewOf: PreviewOf }>('server')
    const store = memory()
    const url = `${app.origin}/page?a=1&b=2`
    for (let i = 0; i < 2; i++) {
      expect(await previewOf(url, store, { server: app.url, key })).toMatchObject({ url, title: 'A page' })
    }
    expect([app.requestCounts.get('/page'), store.seconds]).toEqual([1, [86_400]])
  })

  test.each([
    ['a page that does not exist, which is requested twice', () => `${app.origin}/gone`, () => key, 2],
    ['an invalid URL', () => 'ftp://example.com/', () => key, undefined],
    ['an invalid key', () => `${app.origin}/other`, () => 'nonsense', undefined],
  ])('%s is a plain link', async (_, url, keyOf, requests) => {
    const { previewOf } = await codeOf<{ previewOf: PreviewOf }>('server')
    expect(await previewOf(url(), memory(), { server: app.url, key: keyOf() })).toBeNull()
    expect(app.requestCounts.get(new URL(url()).pathname)).toBe(requests as number)
  })
})

test('a server that cannot be reached is a plain link', async () => {
  const { previewOf } = await codeOf<{ previewOf: PreviewOf }>('server')
  const store: Store = { get: async () => null, set: async () => {} }
  const server = `http://127.0.0.1:${freePort()}`
  expect(await previewOf('https://example.com/', store, { server, key: 'any' })).toBeNull()
})

describe('cardOf', () => {
  const HOSTILE = `"'><img src=x onerror=alert(1)>&lt;`

  test('every value is text', async () => {
    const { cardOf } = await codeOf<{ cardOf: (metadata: object) => string }>('markup')
    const url = 'https://example.com/?a=1&b="'
    const image = 'https://example.com/i.png?"onerror="alert(1)'
    const values = { url, title: HOSTILE, description: HOSTILE, site_name: HOSTILE, image, favicon: image }
    const { document } = { document: pageTree(cardOf(values)) }
    expect(document.querySelectorAll('img').map(({ attributes }) => attributes)).toEqual([
      { class: 'cover', src: image, alt: '', loading: 'lazy', referrerpolicy: 'no-referrer' },
      { class: 'icon', src: image, alt: '', loading: 'lazy', referrerpolicy: 'no-referrer' },
    ])
    expect(document.querySelectorAll('[dir=auto]').map(({ text }) => text)).toEqual([HOSTILE, HOSTILE, HOSTILE])
    expect(document.querySelector('a')!.attributes['href']).toBe(url)
  })

  test('without a title it is a plain link', async () => {
    const { cardOf } = await codeOf<{ cardOf: (metadata: object) => string }>('markup')
    expect(cardOf({ url: 'https://example.com/' })).toBe(
      '<a href="https://example.com/" rel="noopener">https://example.com/</a>',
    )
  })
})

test('LinkPreview is a link until the metadata arrives', async () => {
  symlinkSync(join(import.meta.dir, '../../node_modules'), join(dir, 'node_modules'))
  const before = `/** @jsxImportSource react */\nimport { renderToStaticMarkup } from 'react-dom/server'`
  const after = 'export const html = renderToStaticMarkup(<LinkPreview url="https://example.com/?a=1&b=%22" />)'
  const { html } = await codeOf<{ html: string }>('card', 'jsx', before, after)
  const url = 'https://example.com/?a=1&amp;b=%22'
  expect(html).toBe(`<a href="${url}">${url}</a>`)
})
