import { expect, test } from 'bun:test'

import { resultTags } from '../../../src/previews/tags/page-tags.ts'

test.each([undefined, null, {}, { plain: {} }, { plain: { tags: 1 } }])(
  'tags that an API request did not list, or in another form, are unknown: %p',
  (tags) => expect(resultTags({ tags })).toBe('unknown'),
)

test('a result without details has unknown tags, and a file has none', () => {
  expect([resultTags(null), resultTags({ tags: { plain: null } })]).toEqual(['unknown', 'file'])
})

test('the tags of a result are known', () => {
  const tags = { plain: { baseUrl: 'https://a.test/', tags: [], isTruncated: false } }
  expect(resultTags({ tags })).toBe(tags)
})
