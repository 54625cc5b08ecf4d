import { describe, expect, test } from 'bun:test'

import { sniffCharset } from '../../../src/core/extract/reading/charset.ts'
import { extractHtml } from '../../../src/core/extract/extract.ts'
import { MAX_JSON_LD_BYTES } from '../../../src/core/extract/json-ld/json-ld-scripts.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'
import { parsedJsonLd } from './parsed-json-ld.ts'

const SIZE = 1_000_000
const url = new URL('https://site.test/a/page')

// linear.test.ts counts the steps they take, and `bun run bench extract` measures the time.
describe('a hostile page of a megabyte', () => {
  test.each(Object.entries(HOSTILE_PAGES))('%s', (_, page) => {
    const bytes = new TextEncoder().encode(page(SIZE))
    expect(bytes.length).toBeGreaterThan(SIZE * 0.9)
    const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
    const { metadata } = extractHtml({ bytes, encoding, url })
    expect(metadata.title?.length ?? 0).toBeLessThanOrEqual(1_000)
    expect(metadata.description?.length ?? 0).toBeLessThanOrEqual(5_000)
    expect(metadata.image?.length ?? 0).toBeLessThanOrEqual(8_192)
    expect(JSON.stringify(metadata).length).toBeLessThan(20_000)
  })
})

describe('JSON-LD is read', () => {
  const titleOf = (...lengths: number[]) => {
    const script = (length: number, i: number) => {
      const start = `{"headline":"${i}","x":"`
      return `<script type=application/ld+json>${start}${'x'.repeat(length - start.length - 2)}"}</script>`
    }
    const bytes = new TextEncoder().encode(lengths.map(script).join(''))
    return extractHtml({ bytes, encoding: 'utf-8', url }).metadata.title
  }

  test.each<[name: string, lengths: number[], title: string | undefined]>([
    ['in a block of exactly the maximum size', [MAX_JSON_LD_BYTES], '0'],
    ['not in a block of one byte more', [MAX_JSON_LD_BYTES + 1], undefined],
    ['after a block that is too long', [MAX_JSON_LD_BYTES + 1, 100], '1'],
    ['not in a block that exceeds the total', [MAX_JSON_LD_BYTES + 1, MAX_JSON_LD_BYTES + 1], undefined],
  ])('%s', (_, lengths, title) => expect(titleOf(...lengths)).toBe(title))

  test.each([
    'nested JSON-LD at the maximum depth',
    'the maximum number of JSON-LD nodes',
    'JSON-LD nodes, each of a different type',
    'JSON-LD properties',
    'JSON-LD authors',
    'JSON-LD authors of one id',
    'JSON-LD images of one id',
    'JSON-LD articles of other pages',
    'JSON-LD of one text',
    'JSON-LD of needless backslashes',
    'JSON-LD of line breaks',
    'JSON-LD of lines',
    'references in JSON-LD',
  ])('so that a hostile page takes its time: %s', (name) => {
    const script = /^<script[^>]*>(.*?)<\/script>/s.exec(HOSTILE_PAGES[name]!(SIZE))![1]!
    expect(script.length).toBeLessThanOrEqual(MAX_JSON_LD_BYTES)
    expect(parsedJsonLd(script)[0]).toBeDefined()
  })
})

test.each<
  [max: number, what: string, unusable: string, usable: string, field: 'title' | 'description' | 'canonical_url']
>([
  [100, 'titles', '<title> </title>', '<title>T</title>', 'title'],
  [100, 'values of a name', '<meta name=description content="">', '<meta name=description content=D>', 'description'],
  [
    100,
    'JSON-LD scripts',
    '<script type=application/ld+json>{}</script>',
    '<script type=application/ld+json>{"headline":"T"}</script>',
    'title',
  ],
  [1_000, 'links', '<link rel=canonical href="http://">', '<link rel=canonical href=/q>', 'canonical_url'],
])('of a page, %i %s are read', (max, _, unusable, usable, field) => {
  const valueAfter = (count: number) => {
    const bytes = new TextEncoder().encode(unusable.repeat(count) + usable)
    return extractHtml({ bytes, encoding: 'utf-8', url }).metadata[field]
  }
  expect([valueAfter(max - 1) !== undefined, valueAfter(max)]).toEqual([true, undefined])
})

describe('values are truncated', () => {
  const read = (html: string) => extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url }).metadata

  test.each([
    ['title of exactly the maximum length', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['title of one character more', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['pair that just fits', `${'x'.repeat(998)}😀`, `${'x'.repeat(998)}😀`],
    ['pair that does not fit', `${'x'.repeat(999)}😀`, 'x'.repeat(999)],
    ['space at the cut', `${'x'.repeat(999)} y`, 'x'.repeat(999)],
    ['white space before the text', `${' '.repeat(50_000)}x`, 'x'],
    ['references are counted after decoding', '&amp;'.repeat(1_001), '&'.repeat(1_000)],
  ])('%s', (_, text, expected) => expect(read(`<title>${text}</title>`).title).toBe(expected))

  test('description at 5,000 characters', () => {
    expect(read(`<meta name=description content="${'y'.repeat(5_001)}">`).description).toBe('y'.repeat(5_000))
  })

  test.each([
    ['meta elements', (name: string) => `<meta name=author content="${name}">`],
    ['citations', (name: string) => `<meta name=citation_author content="${name}">`],
    ['one citation', (name: string) => `<meta name=citation_author content="${`${name};`.repeat(9)}${name}">`],
    ['microdata', (name: string) => `<meta itemprop=author content="${name}">`],
    ['JSON-LD', (name: string) => `<script type=application/ld+json>{"author":["${name}","x ${name}"]}</script>`],
  ])('the authors of %s at 500 characters', (_, tagOf) => {
    const names = Array.from({ length: 9 }, (_one, i) => `Jo ${'a'.repeat(200)} ${i}`)
    expect(read(names.map(tagOf).join('')).meta?.author?.length).toBeWithin(0, 501)
  })

  test('a URL that is too long is skipped, because a truncated one would be different', () => {
    const tail = (length: number) => 'a'.repeat(length - 'https://site.test/'.length)
    const image = (base: string, length: number) =>
      read(`<meta property=og:image content="${base}${tail(length)}">`).image
    for (const base of ['/', 'https://site.test/']) {
      expect(image(base, 8_192)).toHaveLength(8_192)
      expect(image(base, 8_193)).toBeUndefined()
    }
    expect(read(`<link rel=canonical href="/${tail(8_193)}"><meta property=og:url content=/q>`).canonical_url).toBe(
      'https://site.test/q',
    )
  })
})
