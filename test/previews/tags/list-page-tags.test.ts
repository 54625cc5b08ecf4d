import { describe, expect, test } from 'bun:test'

import { listPageTags } from '../../../src/previews/tags/list-page-tags.ts'
import { keyOf } from '../../../src/previews/tags/page-tags.ts'
import { HOSTILE_PAGES } from '../../core/extract/hostile-pages.ts'

const URL_OF_PAGE = new URL('https://example.com/a/b')

function list(html: string, encoding = 'utf-8') {
  return listPageTags({ bytes: new TextEncoder().encode(html), encoding, url: URL_OF_PAGE })
}

const pairsOf = (html: string) => list(html).tags.map((tag) => [keyOf(tag), tag.value])

describe('tags', () => {
  test.each<[name: string, html: string, expected: [string, string][]]>([
    [
      'used and unused tags, in document order',
      '<title>T</title><meta property=og:title content=A><meta name="OG:Title" content=B>',
      [
        ['<title>', 'T'],
        ['og:title', 'A'],
        ['og:title', 'B'],
      ],
    ],
    [
      'names that no field uses',
      '<meta name=theme-color content=#fff><meta name=robots content=noindex>',
      [
        ['theme-color', '#fff'],
        ['robots', 'noindex'],
      ],
    ],
    ['references and white space', '<meta name=description content="a &amp;\n  b">', [['description', 'a & b']]],
    ['blank values', '<meta property="og:title" content=" ">', [['og:title', '']]],
    [
      'several properties',
      '<meta property="og:title twitter:title" content=A>',
      [
        ['og:title', 'A'],
        ['twitter:title', 'A'],
      ],
    ],
    [
      'property and name',
      '<meta property=og:title name=title content=A>',
      [
        ['og:title', 'A'],
        ['title', 'A'],
      ],
    ],
    [
      'encodings',
      '<meta charset=latin1><meta http-equiv=Content-Type content="text/html; charset=x">',
      [
        ['charset', 'latin1'],
        ['content-type', 'text/html; charset=x'],
      ],
    ],
    [
      'links that previews use',
      '<link rel="shortcut icon" href=/f.ico><link rel=stylesheet href=/s.css><link rel=canonical href=/c>',
      [
        ['link icon', '/f.ico'],
        ['link canonical', '/c'],
      ],
    ],
    [
      'tags in templates, svg and scripts do not count',
      '<template><meta name=a content=b></template><svg><title>no</title></svg><script>"<meta name=a content=b>"</script>',
      [],
    ],
    [
      'a link to an oEmbed endpoint for JSON',
      '<link rel=alternate type="text/xml+oembed" href=/x><link rel=alternate type="application/json+oembed" href=/o>',
      [['link oembed', '/o']],
    ],
    ['a meta without content', '<meta name=a value=b>', []],
    [
      'JSON-LD of the first news article',
      '<script type="application/ld+json">{"@type":"Person"}</script><script type="application/ld+json">[{"@type":"NewsArticle","headline":"H","author":{"name":"A"},"publisher":[{"name":"P"}]}]</script>',
      [
        ['json-ld headline', 'H'],
        ['json-ld author', 'A'],
        ['json-ld publisher', 'P'],
      ],
    ],
  ])('%s', (_, html, expected) => expect(pairsOf(html)).toEqual(expected))

  test('have the offset of their value', () => {
    const html = '<!--é--><meta name=a content="x">'
    expect(list(html).tags[0]!.offset).toBe(Buffer.byteLength('<!--é--><meta name=a content="'))
  })

  test('are read in the encoding of the page', () => {
    const bytes = new Uint8Array([...Buffer.from('<title>'), 0xe9, ...Buffer.from('</title>')])
    expect(listPageTags({ bytes, encoding: 'windows-1252', url: URL_OF_PAGE }).tags[0]!.value).toBe('é')
    const utf16 = new Uint8Array(Buffer.from('<title>é</title>', 'utf16le'))
    expect(listPageTags({ bytes: utf16, encoding: 'utf-16le', url: URL_OF_PAGE }).tags[0]!.value).toBe('é')
  })

  test('the base URL is the URL of the page', () => {
    expect(list('<base href="/other/">').baseUrl).toBe('https://example.com/other/')
    expect(list('').baseUrl).toBe('https://example.com/a/b')
  })

  test('the base URL has no fragment, which may be private', () => {
    const url = new URL('https://example.com/a#secret')
    expect(listPageTags({ bytes: new Uint8Array(), encoding: 'utf-8', url }).baseUrl).toBe('https://example.com/a')
  })
})

describe('limits', () => {
  const tag = (value: string) => `<meta name=a content="${value}">`

  test.each([
    ['number', tag('b').repeat(120), 120, false],
    ['number, one more', tag('b').repeat(121), 120, true],
    ['all characters', tag('b'.repeat(1_999)).repeat(8), 8, false],
    ['all characters, one more', tag('b'.repeat(1_999)).repeat(8) + tag('b'), 8, true],
  ])('%s', (_, html, count, isTruncated) => {
    const result = list(html)
    expect([result.tags.length, result.isTruncated]).toEqual([count, isTruncated])
  })

  test('characters of a value and of a name', () => {
    expect(list(tag('b'.repeat(2_048))).tags[0]).toMatchObject({ value: 'b'.repeat(2_048) })
    expect(list(tag('b'.repeat(2_048))).tags[0]!.isTruncated).toBeUndefined()
    expect(list(tag('b'.repeat(2_049))).tags[0]).toMatchObject({ value: 'b'.repeat(2_048), isTruncated: true })
    expect(list(`<meta name="${'n'.repeat(61)}" content=a>`).tags[0]!.name).toHaveLength(60)
  })

  test.each([
    ['references of an article', tag('b').repeat(500)],
    ['long values', tag('b'.repeat(2_048)).repeat(20)],
    ['many values of one tag', '<meta property="og:image" content="/b.jpg">'.repeat(500)],
  ])('%s do not displace the tags that previews read', (_, before) => {
    const { tags, isTruncated } = list(`${before}<meta property=og:title content=T><link rel=canonical href=/c>`)
    expect(tags.map(keyOf)).toEqual(expect.arrayContaining(['og:title', 'link canonical']))
    expect(isTruncated).toBe(true)
    const offsets = tags.map(({ offset }) => offset)
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
  })

  test('a relation of a megabyte is ignored', () => {
    expect(list(`<link rel="${'x'.repeat(1_000_000)}" href=/a><title>T</title>`).tags.map(keyOf)).toEqual(['<title>'])
  })
})

test.each(Object.entries(HOSTILE_PAGES))('hostile: %s', (_, page) => {
  expect(list(page(20_000)).tags.length).toBeLessThanOrEqual(123)
})
