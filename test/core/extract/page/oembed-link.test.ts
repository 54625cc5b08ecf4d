import { expect, test } from 'bun:test'

import { extractHtml } from '../../../../src/core/extract/extract.ts'

test.each<[name: string, head: string, expected: string | null]>([
  [
    'a link',
    '<link rel="alternate" type="application/json+oembed" href="/o?a=1&amp;b=2">',
    'https://site.test/o?a=1&b=2',
  ],
  ['in capitals', '<LINK REL="ALTERNATE" TYPE=" Application/JSON+oEmbed " HREF="/o">', 'https://site.test/o'],
  [
    'among other relations',
    '<link rel="nofollow alternate" type="application/json+oembed" href="/o">',
    'https://site.test/o',
  ],
  [
    'the first of two',
    '<link rel="alternate" type="application/json+oembed" href="/1"><link rel="alternate" type="application/json+oembed" href="/2">',
    'https://site.test/1',
  ],
  ['XML', '<link rel="alternate" type="text/xml+oembed" href="/o">', null],
  ['no type', '<link rel="alternate" href="/o">', null],
  ['no relation', '<link type="application/json+oembed" href="/o">', null],
  ['another relation', '<link rel="author" type="application/json+oembed" href="/o">', null],
  ['no address', '<link rel="alternate" type="application/json+oembed">', null],
])('the oEmbed endpoint of a page: %s', (_, head, expected) => {
  const page = { bytes: new TextEncoder().encode(head), encoding: 'utf-8', now: 0 }
  expect(extractHtml({ ...page, url: new URL('https://site.test/a') }).oembed?.href ?? null).toBe(expected)
})
