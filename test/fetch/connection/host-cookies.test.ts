import { expect, test } from 'bun:test'

import { createHostCookies } from '../../../src/fetch/connection/host-cookies.ts'

test.each([
  ['a long one', `a=${'x'.repeat(4_000)}`, ['a']],
  ['one that no browser keeps', `a=b; Domain=site.test${'; x'.repeat(3_000)}`, []],
])('%s', (_, cookie, names) => {
  const fields = new Map([['set-cookie', [cookie]]])
  expect(createHostCookies().keep(fields, new URL('https://site.test/'))).toEqual(names)
})
