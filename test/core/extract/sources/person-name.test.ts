import { expect, test } from 'bun:test'

import { normalizeName } from '../../../../src/core/extract/sources/person-name.ts'

test.each([
  ['Jo Doe (jo@site.test)', 'Jo Doe'],
  ['Jo Doe [www.site.test]', 'Jo Doe'],
  ['Jo Doe (https://site.test/?author[]=5)', 'Jo Doe'],
  ['Jo Doe <[jo@site.test]>', 'Jo Doe'],
])('%s', (text, name) => expect(normalizeName(text)).toBe(name))

// An expression that backtracks from each bracket would take minutes.
test('names that almost end with an address', () => {
  for (let i = 0; i < 5_000; i++) {
    expect(normalizeName(`x${i}${'[@'.repeat(240)}a`)).not.toBe(`x${i}`)
  }
})
