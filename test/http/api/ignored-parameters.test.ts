import { expect, test } from 'bun:test'

import { ignoredIn } from '../../../src/http/api/ignored-parameters.ts'

const KEY = `urlmeta_live_${'0'.repeat(32)}`

test.each([
  ['nothing', '', null],
  ['every parameter', '&timeout=1&cache=true&language=de&fields=player&api_key=x', null],
  ['a misspelled parameter', '&cach=false', 'cach'],
  ['several, each once, in order', '&lang=de&cach=1&lang=en', 'lang, cach'],
  ['one without a value', '&fresh', 'fresh'],
  ['another case', '&Cache=false', 'Cache'],
  ['five', '&a&b&c&d&e', 'a, b, c, d, e'],
  ['six', '&a&b&c&d&e&f', 'a, b, c, d, e'],
  ['64 characters', `&${'x'.repeat(64)}`, 'x'.repeat(64)],
  ['65 characters', `&${'x'.repeat(65)}`, 'x'.repeat(64)],
  ['an empty name', '&=1', null],
  ['what is not printable ASCII', '&a%0D%0Ab%C3%A9%20%2Cc', 'a??b???c'],
  ['a key', `&${KEY}=1`, '?'],
  ['what a URL that is not escaped leaves over', '&b=2', 'b'],
])('a query with %s has the names that are ignored', (_, more, ignored) => {
  expect(ignoredIn(`?url=https://example.com/?a=1${more}`)).toBe(ignored)
})

test('an empty query has none', () => {
  expect([ignoredIn(''), ignoredIn('?'), ignoredIn('?&&')]).toEqual([null, null, null])
})
