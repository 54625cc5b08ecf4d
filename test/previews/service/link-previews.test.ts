import { expect, test } from 'bun:test'

import { startHop } from '../../../src/core/fetch/trace.ts'
import { previewFactsOf } from '../../../src/previews/service/link-previews.ts'
import { PAGE_URL, tagsOf } from '../preview-page.ts'

const OTHER = 'https://other.example/'

test.each<[name: string, urls: string[], expected: string]>([
  ['is the requested one without requests', [], PAGE_URL],
  ['is that of the last request', [PAGE_URL, OTHER], OTHER],
  ['is not one that was truncated', [`${OTHER}…`], PAGE_URL],
  ['is not one that is invalid', ['https://'], PAGE_URL],
])('the URL of link previews %s', (_, urls, expected) => {
  const trace = { hops: urls.map((url) => ({ ...startHop(new URL(PAGE_URL), 'caller'), url })) }
  const facts = previewFactsOf({
    kind: 'success',
    url: PAGE_URL,
    result: { fetched_at: '', fetch_method: 'http', response_time_ms: 1 },
    cached: false,
    details: { sources: {}, trace, tags: { plain: tagsOf('') } },
    images: [],
    oembed: null,
    robots: [],
    editedTags: null,
  })
  expect(facts).toMatchObject({ input: { url: expected }, checks: { url: expected } })
})
