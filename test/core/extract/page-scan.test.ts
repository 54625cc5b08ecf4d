import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { MAX_BYTES_AFTER_HEAD } from '../../../src/core/extract/page/checkpoints.ts'
import { extractHtml, PageScan } from '../../../src/core/extract/extract.ts'
import { typicalCases } from '../../thorough.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'

/** Not a home page, so it is read beyond its head. */
const url = new URL('https://site.test/a/page')
const home = new URL('https://site.test/')
const FIXTURES = join(import.meta.dir, '../../fixtures/pages')

const encode = (html: string) => new TextEncoder().encode(html)

/** Passes the page to a scan in parts of so many bytes, and returns the result. */
function extractInParts(bytes: Uint8Array, partBytes: number, from: URL) {
  const scan = new PageScan(from)
  for (let end = partBytes; end < bytes.length; end += partBytes) scan.read(bytes.subarray(0, end))
  return extractHtml({ bytes, encoding: 'utf-8', url: from, scan })
}

const fixtures = readdirSync(FIXTURES).flatMap((name) => {
  const file = readdirSync(join(FIXTURES, name)).find((entry) => entry.endsWith('.html'))
  return file === undefined ? [] : [[name, new Uint8Array(readFileSync(join(FIXTURES, name, file)))] as const]
})

const TITLE = '<meta property="og:title" content="T">'

describe('a page in parts has the same result as the whole page', () => {
  const partSizes = typicalCases([1, 7, 1_000], (size) => size === 7)
  test.each([
    ...fixtures,
    ...Object.entries(HOSTILE_PAGES).map(([name, page]) => [name, encode(page(2_000))] as const),
    ...[
      '<p>a</p><!-- > -- --!> --><!--><!---><p>b',
      '<!doctype html><?php > <!x> </ > <p>a</p',
      `<svg><![CDATA[<title>x</title>]]]]><title>y</title></svg>${TITLE}<body>x`,
      `<script>"<!-- <script> </script> --> </script>`,
      `<script><!--></script>--></script><title>a</tit</title>b`,
      `<textarea></textarea <title></textarea><title>x`,
      `${TITLE}<style></head></style></he></head><title>not read</title>`,
      '<script itemscope itemtype="https://schema.org/Article"></script><meta itemprop=headline content=x>',
      '<plaintext><title>x</title>',
      `\ufeff${TITLE}</head><meta name=author content=x>`,
      '<p',
    ].map((html) => [html, encode(html)] as const),
  ])('%s', (_, bytes) => {
    for (const page of [home, url]) {
      const whole = extractHtml({ bytes, encoding: 'utf-8', url: page })
      for (const partBytes of partSizes) expect(extractInParts(bytes, partBytes, page)).toEqual(whole)
    }
  })

  const bylines = (bytes: number) => '<p class=byline>x</p>'.repeat(Math.ceil(bytes / 21))
  const beyond = `<p>${'x'.repeat(3_000)}<meta name=date content=2015-01-01><title>y</title>`
  /** Where a JSON-LD script ends, relative to the limit. */
  const ENDS = Array.from({ length: 14 }, (_, i) => i - 3)

  test.each<[name: string, html: string]>([
    ['an author at each check', `${TITLE}</head><h1>T</h1>${bylines(200_000)}<p class=byline>By Jo Doe</p>${beyond}`],
    ...['<a rel=author>', '<b itemprop=author>', '<p class=byline>By '].map((start): [string, string] => [
      `${start} between two checks`,
      `${TITLE}<meta name=date content=2016-05-04></head><h1>T</h1>${bylines(20_000)}${start}Jo Doe</p>${bylines(90_000)}`,
    ]),
    ...ENDS.map((end): [string, string] => {
      const head = `${TITLE}</head>`
      const script = `<script type="application/ld+json">{"@type":"Article","author":"Jo Doe"}`
      return [
        `a script that ends ${end} bytes before the limit`,
        `${head}${' '.repeat(MAX_BYTES_AFTER_HEAD - end - script.length)}${script}</script>${beyond}`,
      ]
    }),
    ...ENDS.map((end): [string, string] => {
      const tag = `<meta name=author content="Jo Doe" data-x="${'x'.repeat(2_500)}">`
      return [
        `a long tag that ends ${end} bytes before the limit`,
        `${TITLE}</head>${' '.repeat(MAX_BYTES_AFTER_HEAD - end - tag.length)}${tag}${beyond}`,
      ]
    }),
  ])('%s', (_, html) => {
    const bytes = encode(html)
    const whole = extractHtml({ bytes, encoding: 'utf-8', url })
    for (const partBytes of [997, 4_096, 262_144]) expect(extractInParts(bytes, partBytes, url)).toEqual(whole)
    const limit = html.indexOf('</head>') + '</head>'.length + MAX_BYTES_AFTER_HEAD
    for (const cut of [limit, limit + 1, limit + 8, limit + 9, limit + 10]) {
      const scan = new PageScan(url)
      scan.read(bytes.subarray(0, cut))
      if (!scan.isDone) continue
      const { bytesRead } = scan
      expect(bytesRead).toBeLessThanOrEqual(cut)
      const arrived = bytes.slice(0, bytesRead)
      expect(extractHtml({ bytes: arrived, encoding: 'utf-8', url, scan })).toEqual(whole)
      expect(extractHtml({ bytes: arrived, encoding: 'utf-8', url })).toEqual(whole)
    }
  })
})

test('a complete head is recognized with its last byte', () => {
  const bytes = encode(`<head>${TITLE}<script>var a = "${'x'.repeat(5_000)}"</script></head>`)
  const scan = new PageScan(home)
  for (let end = 1; end < bytes.length; end++) scan.read(bytes.subarray(0, end))
  expect(scan.hasHeadEnded).toBe(false)
  scan.read(bytes)
  expect(scan.isDone).toBe(true)
})

/** Bytes that count how often one of them is read. */
function counted(bytes: Uint8Array, count: { steps: number }): Uint8Array {
  return new Proxy(bytes, {
    get(target, key) {
      if (typeof key === 'string' && key >= '0' && key < ':') count.steps++
      const value = Reflect.get(target, key, target)
      if (key === 'indexOf') {
        return (byte: number, from: number) => {
          const at = target.indexOf(byte, from)
          count.steps += (at < 0 ? target.length : at) - from
          return at
        }
      }
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('each byte is read a bounded number of times, in any number of parts', () => {
  const SIZE = 20_000
  const STEPS_PER_BYTE = 12

  test.each([
    ['a text', 'text '.repeat(SIZE / 5)],
    ['a comment', `<!--${' -> '.repeat(SIZE / 4)}-->`],
    ['a bogus comment', `<?${'x'.repeat(SIZE)}>`],
    ['a CDATA section', `<svg><![CDATA[${']] '.repeat(SIZE / 3)}]]>`],
    ['a title', `<title>${'a < b '.repeat(SIZE / 6)}</title>`],
    ['a script', `<script>${'if (a < b) '.repeat(SIZE / 11)}</script>`],
    ['a script in a comment', `<script><!--<script>${'</scrip >-'.repeat(SIZE / 10)}</script>`],
    ['a style that never ends', `<style>${'</styl'.repeat(SIZE / 6)}`],
    ['plaintext', `<plaintext>${'x'.repeat(SIZE)}`],
    ['a value', `<meta content="${'x'.repeat(SIZE)}">`],
    ['attributes', `<meta ${'a=b '.repeat(SIZE / 4)}>`],
    ['a tag name', `<${'a'.repeat(SIZE)}>`],
    ['short tags', '<p class="a">'.repeat(SIZE / 13)],
  ])('%s', (_, html) => {
    const bytes = encode(html)
    const count = { steps: 0 }
    const scan = new PageScan(url)
    for (let end = 100; end < bytes.length + 100; end += 100) scan.read(counted(bytes.subarray(0, end), count))
    expect(count.steps).toBeGreaterThan(0)
    expect(count.steps / bytes.length).toBeLessThan(STEPS_PER_BYTE)
  })

  test.each([
    ['attributes', `<meta ${'a=b '.repeat(SIZE / 4)}>`],
    ['attributes without value', `<meta ${'a '.repeat(SIZE / 2)}>`],
    ['slashes', `<meta ${'/'.repeat(SIZE)}>`],
  ])('an incomplete tag of %s is not read again from its start', (_, html) => {
    const bytes = encode(html)
    const scan = new PageScan(url)
    const steps: number[] = []
    for (let end = 100; end < bytes.length + 100; end += 100) {
      const count = { steps: 0 }
      scan.read(counted(bytes.subarray(0, end), count))
      steps.push(count.steps)
    }
    expect(Math.min(...steps)).toBeGreaterThan(0)
    expect(Math.max(...steps) / 100).toBeLessThan(STEPS_PER_BYTE)
  })
})
