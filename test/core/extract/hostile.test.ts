import { describe, expect, test } from 'bun:test'

import { extractHtml, isHeadComplete } from '../../../src/core/extract/extract.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'

const SIZE = 1_000_000
const url = new URL('https://site.test/')

describe('a hostile page of a megabyte', () => {
  test.each(Object.entries(HOSTILE_PAGES))('%s', (_, page) => {
    const bytes = new TextEncoder().encode(page(SIZE))
    expect(bytes.length).toBeGreaterThan(SIZE * 0.9)
    isHeadComplete(bytes)
    const { metadata } = extractHtml({ bytes, encoding: 'utf-8', url })
    expect(metadata.title?.length ?? 0).toBeLessThanOrEqual(1_000)
    expect(metadata.description?.length ?? 0).toBeLessThanOrEqual(5_000)
    expect(metadata.image?.length ?? 0).toBeLessThanOrEqual(8_192)
    expect(JSON.stringify(metadata).length).toBeLessThan(20_000)
  })
})

describe('values are cut', () => {
  const read = (html: string) => extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url }).metadata

  test.each([
    ['title of just the length', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['title of one more', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['pair that just fits', `${'x'.repeat(998)}😀`, `${'x'.repeat(998)}😀`],
    ['pair that does not fit', `${'x'.repeat(999)}😀`, 'x'.repeat(999)],
    ['space at the cut', `${'x'.repeat(999)} y`, 'x'.repeat(999)],
    ['white space before the text', `${' '.repeat(50_000)}x`, 'x'],
    ['references count decoded', '&amp;'.repeat(1_001), '&'.repeat(1_000)],
  ])('%s', (_, text, expected) => expect(read(`<title>${text}</title>`).title).toBe(expected))

  test('description at 5,000 characters', () => {
    expect(read(`<meta name=description content="${'y'.repeat(5_001)}">`).description).toBe('y'.repeat(5_000))
  })

  test('an address that is too long is passed over, for cut it would be another', () => {
    const tail = (length: number) => 'a'.repeat(length - 'https://site.test/'.length)
    const image = (length: number) => read(`<meta property=og:image content="/${tail(length)}">`).image
    expect(image(8_192)).toHaveLength(8_192)
    expect(image(8_193)).toBeUndefined()
    expect(read(`<link rel=canonical href="/${tail(8_193)}"><meta property=og:url content=/q>`).canonical_url).toBe(
      'https://site.test/q',
    )
  })
})
