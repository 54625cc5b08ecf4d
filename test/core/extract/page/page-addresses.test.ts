import { expect, test } from 'bun:test'

import { isAddressOf } from '../../../../src/core/extract/page/page-addresses.ts'

const OWN = ['https://www.a.test/article?id=1', 'https://a.test/Other/']

test.each<[url: string, expected: boolean | undefined]>([
  ['https://www.a.test/article?id=1', true],
  ['https://www.a.test/article?id=2', false],
  ['https://www.a.test/article', true],
  ['https://m.a.test/article/amp/', true],
  ['https://m.a.test/article/index.html?id=1', true],
  ['https://a.test/other', true],
  ['https://a.test/other?id=1', false],
  ['https://a.test/another', false],
  ['https://a.test/', undefined],
  ['https://a.test/?id=1', false],
])('whether %s is an address of the page', (url, expected) => {
  expect(isAddressOf(OWN.map((own) => new URL(own)))(new URL(url))).toBe(expected)
})

test('the root is an address of the home page', () => {
  expect(isAddressOf([new URL('https://a.test/')])(new URL('https://b.test/index.php'))).toBe(true)
})
