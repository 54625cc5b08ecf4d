import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { TestApp, TestAppOptions } from '../../http/app.ts'

/*
 * Fields are added only to the table: a copy of the program with two more entries in fields.ts has to extract, return,
 * describe, document and explain them.
 */

const ROOT = join(import.meta.dir, '../../..')
const COPIED = ['src', 'views', 'drizzle', 'test/http/app.ts', 'package.json', 'tsconfig.json']

/** The entry of the table before which each new one is inserted. */
const NEW_ENTRIES = {
  locale: `{
    path: 'keywords',
    description: 'Keywords of the page.',
    example: 'aurora, winter',
    kind: line,
    sources: [meta('keywords'), jsonLd('keywords'), itemprop('keywords'), link('keywords')],
  },`,
  'meta.published_time': `{
    path: 'meta.section',
    description: 'Section of the site.',
    example: 'Travel',
    kind: line,
    sources: [meta('article:section')],
  },`,
}

const PAGE = `<!doctype html>
  <meta property="article:section" content="Nature"><meta name="author" content="Jo Doe">
  <meta name="keywords" content="birds, trees"><title>T</title><meta property="og:locale" content="en_US">
  <meta property="og:type" content="article"><meta property="article:published_time" content="2026-01-01">`

interface Document {
  components: { schemas: Record<string, { properties: Record<string, object> }> }
  paths: Record<string, { get: { responses: Record<string, { content: Record<string, { example: object }> }> } }>
}

const dir = mkdtempSync(join(tmpdir(), 'urlmeta-new-field-'))
let app: TestApp
let fieldCount = 0

beforeAll(async () => {
  for (const path of COPIED) cpSync(join(ROOT, path), join(dir, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const table = join(dir, 'src/core/extract/fields.ts')
  let source = await Bun.file(table).text()
  for (const [path, entry] of Object.entries(NEW_ENTRIES)) {
    const next = `{\n    path: '${path}',`
    expect(source.split(next)).toHaveLength(2)
    source = source.replace(next, `${entry}\n  ${next}`)
  }
  await Bun.write(table, source)
  fieldCount = source.match(/^ {4}path: '/gm)!.length

  const { startApp }: { startApp: (options: TestAppOptions) => Promise<TestApp> } = await import(
    join(dir, 'test/http/app.ts')
  )
  app = await startApp({
    origin: ({ url }) =>
      url.endsWith('/favicon.ico')
        ? new Response('GIF89a', { headers: { 'content-type': 'image/gif' } })
        : new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
})

afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

/** The text of a page, with a space for each tag. */
async function textOf(path: string): Promise<string> {
  const html = await (await fetch(app.url + path)).text()
  return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

describe('a field added to the table', () => {
  test('is in the response, in the order of the table', async () => {
    const response = await app.metadata(await app.createKey(), '/page')
    const body = (await response.json()) as Record<string, object>
    expect(body).toMatchObject({ keywords: 'birds, trees', meta: { author: 'Jo Doe', section: 'Nature' } })
    // The favicon is searched for after extraction.
    const fromPage = ['title', 'favicon', 'type', 'keywords', 'locale', 'meta']
    const fromFetch = ['fetched_at', 'fetch_method', 'response_time_ms']
    expect(Object.keys(body)).toEqual(['url', ...fromPage, ...fromFetch])
    expect(Object.keys(body['meta']!)).toEqual(['author', 'section', 'published_time'])
  })

  test('is in the schema and the example of the OpenAPI document, in this order', async () => {
    const { components, paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as Document
    const properties = components.schemas['MetadataResponse']!.properties
    const names = Object.keys(properties)
    expect(names.slice(names.indexOf('type'), names.indexOf('locale') + 1)).toEqual(['type', 'keywords', 'locale'])
    expect(properties['keywords']).toEqual({
      type: 'string',
      description: 'Keywords of the page.',
      examples: ['aurora, winter'],
    })
    const members = Object.keys(components.schemas['MetaDetails']!.properties)
    expect(members).toEqual(['author', 'section', 'published_time', 'modified_time'])
    const { example } = paths['/v1/metadata']!.get.responses[200]!.content['application/json']!
    expect(example).toMatchObject({ keywords: 'aurora, winter', meta: { section: 'Travel' } })
  })

  test('is on /docs with its description', async () => {
    const text = await textOf('/docs')
    expect(text).toContain('keywords string Keywords of the page.')
    expect(text).toContain('section string Section of the site.')
  })

  test('is counted on the landing page', async () => {
    expect(await textOf('/')).toContain(` ${fieldCount} fields, with fallbacks`)
  })

  test('is listed by --explain with its source', async () => {
    const command = Bun.spawn(
      [process.execPath, join(dir, 'src/main.ts'), 'fetch', '--explain', `${app.origin}/page`],
      {
        env: { ...process.env, URLMETA_CHROMIUM: 'off', URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
        cwd: app.dataDir,
      },
    )
    const text = await command.stdout.text()
    expect(text).toMatch(/keywords +birds, trees +← meta keywords/)
    expect(text).toMatch(/meta\.section +Nature +← article:section/)
  })

  test('is a member of the Metadata type', async () => {
    await Bun.write(
      join(dir, 'src/core/typed.ts'),
      `import type { Metadata } from './metadata.ts'
       export const known: Metadata = { keywords: 'a', meta: { section: 'b' } }
       // @ts-expect-error not a field
       export const unknown: Metadata = { keyword: 'a' }`,
    )
    const command = Bun.spawn([process.execPath, 'check', '--no-script'], { cwd: dir, stderr: 'pipe' })
    expect([await command.exited, await command.stdout.text()]).toEqual([0, expect.any(String)])
  })
})
