import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { extractHtml, PageScan } from '../../../src/core/extract/extract.ts'
import { withoutHidden } from '../../../src/core/extract/reading/normalize.ts'
import { META_NAMES } from '../../../src/core/extract/fields/source-names.ts'
import type { Metadata } from '../../../src/core/extract/fields/metadata.ts'
import { SCHEMAS } from '../../../src/http/api/schema.ts'
import { validatorOf } from '../../http/response-validator.ts'
import { randomRuns } from '../../random-runs.ts'

const url = new URL('https://site.test/a/b/page')
const extract = (bytes: Uint8Array, encoding = 'utf-8') => extractHtml({ bytes, encoding, url })
const encoded = (html: string) => new TextEncoder().encode(html)

const validate = validatorOf({ components: { schemas: SCHEMAS } }, 'MetadataResponse', { strict: true })

/** Checks that hold for the result of every page. */
function expectSound(metadata: Metadata) {
  const response = { url: url.href, fetched_at: '2026-01-02T03:04:05.678Z', fetch_method: 'http', response_time_ms: 1 }
  expect(validate({ ...response, ...metadata }) || validate.errors).toBe(true)
  const { twitter_card, meta, ...fields } = metadata
  for (const group of [twitter_card, meta]) if (group) expect(Object.keys(group)).not.toBeEmpty()
  for (const [name, value] of Object.entries({ ...fields, ...twitter_card, ...meta })) {
    expect(value.trim()).toBe(value)
    expect(value).not.toBe('')
    expect(value.isWellFormed()).toBe(true)
    expect(withoutHidden(value)).toBe(value)
    expect(value.length).toBeLessThanOrEqual(MAX_LENGTH[name] ?? 500)
    if (MAX_LENGTH[name] === 8_192) expect(value).toMatch(/^https?:\/\//)
  }
}

const MAX_LENGTH: Record<string, number> = {
  title: 1_000,
  description: 5_000,
  image: 8_192,
  favicon: 8_192,
  canonical_url: 8_192,
}

/** Values that may cause errors. */
const unusualValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ' ',
    '&nbsp;',
    '{{x}}',
    'javascript:0',
    '//x',
    'http://',
    '/i.png',
    'data:,',
    '\ud83d',
    '&#xD83D;',
    '\0',
    '\u202e / \u202c, \u2069\u2067 | ',
    '\u{e0041}\u{1f3f4}\u{e0067}',
    `${'x'.repeat(400)} \u202e${'x'.repeat(600)}\u202c`,
  ),
  fc.constantFrom(
    'x'.repeat(9_000),
    '😀'.repeat(5_000),
    '&amp;'.repeat(9_000),
    ' \n'.repeat(9_000),
    '🇩🇪 '.repeat(3_000),
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
)
const attribute = unusualValue.map((text) => text.replaceAll('"', '&quot;'))
const tag = fc.oneof(
  fc
    .tuple(fc.constantFrom(...META_NAMES.names), attribute)
    .map(([key, text]) => `<meta property="${key}" content="${text}">`),
  fc
    .tuple(fc.constantFrom('icon', 'canonical', 'image_src', 'author', 'apple-touch-icon'), attribute, attribute)
    .map(
      ([rel, href, sizes]) => `<link rel="${rel}" href="${href}" sizes="${sizes}" title="${sizes}" media="${sizes}">`,
    ),
  attribute.map((text) => `<base href="${text}">`),
  attribute.map((text) => `<html lang="${text}">`),
  attribute.map((text) => `<meta http-equiv=refresh content="${text}">`),
  unusualValue.map((text) => `<title>${text}</title>`),
  fc
    .record({
      '@type': fc.oneof(fc.constantFrom('Article', 'WebSite', 'Product', ['Article', 1]), fc.anything()),
      headline: fc.oneof(unusualValue, fc.anything()),
      image: fc.oneof(unusualValue, fc.anything()),
      author: fc.oneof(unusualValue, fc.array(fc.record({ name: unusualValue })), fc.anything()),
      publisher: fc.anything(),
      '@graph': fc.anything(),
      '@id': fc.anything(),
    })
    .map((node) => `<script type="application/ld+json">${asJson(node)}</script>`),
  fc
    .tuple(fc.constantFrom('byline', 'author fn', 'date', 'published', 'meta', 'comments'), unusualValue)
    .map(([name, text]) => `<p class="${name}">${text}</p>`),
  fc
    .tuple(fc.constantFrom('author', 'datePublished'), attribute)
    .map(([name, text]) => `<b itemprop=${name}>${text}</b>`),
  fc.constantFrom('<h1>T</h1>By Jo', '<time datetime=2016-05-04>', '<a rel=author>Jo</a>', '<p itemscope>', '</p>'),
  fc.constantFrom('</head>', '<body>', '<!--', '-->', '<svg>', '</svg>', '<template>', '<div id=root>', '<noscript>'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const pages = fc.array(tag, { maxLength: 12 }).map((tags) => tags.join('\n'))

/** JSON of a value that may contain values without a JSON form. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)) ?? 'null'
  } catch {
    return 'null'
  }
}

describe('for every page', () => {
  test('the result is valid: tags with unusual values', () => {
    fc.assert(
      fc.property(pages, (html) => expectSound(extract(encoded(html)).metadata)),
      { numRuns: randomRuns(600) },
    )
  })

  test('the result is valid: any bytes in any encoding', () => {
    const encodings = fc.constantFrom(
      'utf-8',
      'utf-16le',
      'iso-2022-jp',
      'shift_jis',
      'gb18030',
      'big5',
      'windows-1252',
    )
    const contents = fc.oneof(fc.uint8Array({ maxLength: 300 }), pages.map(encoded))
    fc.assert(
      fc.property(contents, encodings, (bytes, encoding) => expectSound(extract(bytes, encoding).metadata)),
      { numRuns: randomRuns(600) },
    )
  })

  test('every value has its source and every source its value', () => {
    fc.assert(
      fc.property(pages, (html) => {
        const { metadata, sources } = extract(encoded(html))
        const { twitter_card = {}, meta = {}, ...fields } = metadata
        const paths = [
          ...Object.keys(fields),
          ...Object.keys(twitter_card).map((name) => `twitter_card.${name}`),
          ...Object.keys(meta).map((name) => `meta.${name}`),
        ]
        expect(Object.keys(sources).toSorted()).toEqual(paths.toSorted())
      }),
      { numRuns: randomRuns(300) },
    )
  })

  test('truncating where reading stops changes nothing', () => {
    const known =
      '<meta property="og:title" content="T"><meta name="author" content="A B"><meta name="date" content="2016">'
    fc.assert(
      fc.property(pages, pages, (head, body) => {
        const start = encoded(`${known}${head}</head>`)
        const scan = new PageScan(url)
        scan.read(start)
        fc.pre(scan.isDone)
        expect(extract(start)).toEqual(extract(encoded(`${known}${head}</head>${body}`)))
      }),
      { numRuns: randomRuns(300) },
    )
  })

  test('prototypes are not modified', () => {
    extract(encoded('<meta property="__proto__" content="x"><meta name="__proto__:polluted" content="1">'))
    extract(
      encoded('<script type=application/ld+json>{"__proto__":{"polluted":1},"@graph":[{"__proto__":[]}]}</script>'),
    )
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
