import { expect, test } from 'bun:test'

import { type OembedFacts, oembedFactsOf } from '../../../src/previews/rules/oembed-facts.ts'

const ENDPOINT = 'https://example.com/oembed'

function read(body: unknown): OembedFacts {
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  return oembedFactsOf(ENDPOINT, { bytes, url: new URL(ENDPOINT) })
}

test.each<[name: string, body: unknown, expected: Partial<OembedFacts>]>([
  [
    'a link',
    {
      type: 'link',
      version: '1.0',
      title: ' A\n title',
      author_name: 'Jo',
      provider_name: 'P',
      thumbnail_url: '/t.png',
    },
    { problem: '', type: 'link', title: 'A title', author: 'Jo', provider: 'P', image: 'https://example.com/t.png' },
  ],
  ['a photo', { type: 'photo', url: '/p.png', thumbnail_url: '/t.png' }, { image: 'https://example.com/p.png' }],
  ['no image', { type: 'link' }, { image: null }],
  ['an image whose URL is not http(s)', { type: 'link', thumbnail_url: 'javascript:alert(1)' }, { image: null }],
  ['texts of other types', { type: 'link', title: 1, author_name: null }, { title: '', author: '' }],
  ['a title that was cut in an emoji', { type: 'link', title: 'A \ud83d' }, { title: 'A \ufffd' }],
  ['a long title', { type: 'link', title: 'a'.repeat(10_000) }, { title: 'a'.repeat(300) }],
  ['a long image URL', { type: 'link', thumbnail_url: `/${'a'.repeat(3_000)}` }, { image: null }],
  ['no type', { title: 'T' }, { problem: 'no type' }],
  ['a list', [], { problem: 'not a JSON object' }],
  ['HTML', '<!doctype html>', { problem: 'not a JSON object' }],
])('%s', (_, body, expected) => expect(read(body)).toMatchObject({ url: ENDPOINT, ...expected }))
