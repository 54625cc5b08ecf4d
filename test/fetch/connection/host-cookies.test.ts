import type { IncomingMessage } from 'node:http'

import { expect, test } from 'bun:test'

import { createHostCookies } from '../../../src/fetch/connection/host-cookies.ts'

test.each([
  ['a long one', `a=${'x'.repeat(4_000)}`, ['a']],
  ['one that no browser keeps', `a=b; Domain=site.test${'; x'.repeat(3_000)}`, []],
])('%s', (_, cookie, names) => {
  const response = { headers: { 'set-cookie': [cookie] } } as IncomingMessage
  expect(createHostCookies().keep(response, new URL('https://site.test/'))).toEqual(names)
})
