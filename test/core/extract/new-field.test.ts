import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { TestApp, TestAppOptions } from '../../http/app.ts'

/*
 * Fields are added only to the table and to the description of the API: a copy of the program with two more entries in
 * fields.ts, schemas.yaml and the example in openapi.yaml has to extract, return, describe, document and explain them.
 */

const ROOT = join(import.meta.dir, '../../..')
const COPIED = [
  'src',
  'views',
  'docs',
  'documents.ts',
  'drizzle',
  'test/http/app.ts',
  'test/patience.ts',
  'package.json',
  'tsconfig.json',
]

const FIELDS = 'src/core/extract/fields/fields.ts'

/** The new entries of each file, with the text before which each is inserted. No real field should have their names. */
const NEW_ENTRIES: Record<string, Record<string, string>> = {
  [FIELDS]: {
    "  { path: 'locale',":
      "  { path: 'planet', kind: line, sources: [meta('planet'), jsonLd('planet'), itemprop('planet'), link('planet')] },\n",
    "  { path: 'meta.published_time',": "  { path: 'meta.season', kind: line, sources: [meta('article:season')] },\n",
  },
  'src/http/api/schemas.yaml': {
    '    locale:': '    planet: { description: Planet of the page., examples: [Mars], type: string }\n',
    '    published_time:': '    season: { description: Season of the article., examples: [Summer], type: string }\n',
  },
  'src/http/api/openapi.yaml': {
    '                locale:': '                planet: Mars\n',
    'published_time: ': 'season: Summer, ',
  },
}

const PAGE = `<!doctype html>
  <meta property="article:season" content="Winter"><meta name="author" content="Jo Doe">
  <meta name="planet" content="Venus"><title>T</title><meta property="og:locale" content="en_US">
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
  for (const [file, entries] of Object.entries(NEW_ENTRIES)) {
    let source = await Bun.file(join(dir, file)).text()
    for (const [next, entry] of Object.entries(entries)) {
      expect(source.split(next)).toHaveLength(2)
      source = source.replace(next, entry + next)
    }
    await Bun.write(join(dir, file), source)
    if (file === FIELDS) fieldCount = source.match(/^ +(?:\{ )?path: '/gm)!.length
  }

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
    expect(body).toMatchObject({ planet: 'Venus', meta: { author: 'Jo Doe', season: 'Winter' } })
    // The favicon is searched for after extraction.
    const fromPage = ['title', 'favicon', 'type', 'planet', 'locale', 'meta']
    const fromFetch = ['fetched_at', 'fetch_method', 'response_time_ms']
    expect(Object.keys(body)).toEqual(['url', ...fromPage, ...fromFetch])
    expect(Object.keys(body['meta']!)).toEqual(['author', 'season', 'published_time'])
  })

  test('is in the schema and the example of the OpenAPI document, in this order', async () => {
    const { components, paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as Document
    const properties = components.schemas['MetadataResponse']!.properties
    const names = Object.keys(properties)
    expect(names[names.indexOf('locale') - 1]).toBe('planet')
    expect(properties['planet']).toEqual({ type: 'string', description: 'Planet of the page.', examples: ['Mars'] })
    const members = Object.keys(components.schemas['MetaDetails']!.properties)
    expect(members[members.indexOf('published_time') - 1]).toBe('season')
    const { example } = paths['/v1/metadata']!.get.responses[200]!.content['application/json']!
    expect(example).toMatchObject({ planet: 'Mars', meta: { season: 'Summer' } })
  })

  test('is on /docs with its description', async () => {
    const text = await textOf('/docs')
    expect(text).toContain('planet string Planet of the page.')
    expect(text).toContain('season string Season of the article.')
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
    expect(text).toMatch(/planet +Venus +← meta planet/)
    expect(text).toMatch(/meta\.season +Winter +← article:season/)
  })

  test('is a member of the Metadata type', async () => {
    await Bun.write(
      join(dir, 'src/core/typed.ts'),
      `import type { Metadata } from './extract/fields/metadata.ts'
       export const known: Metadata = { planet: 'a', meta: { season: 'b' } }
       // @ts-expect-error not a field
       export const unknown: Metadata = { planets: 'a' }`,
    )
    const command = Bun.spawn([process.execPath, 'check', '--no-script'], { cwd: dir, stderr: 'pipe' })
    expect([await command.exited, await command.stdout.text()]).toEqual([0, expect.any(String)])
  })
})
