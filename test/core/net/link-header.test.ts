import { expect, test } from 'bun:test'

import { canonicalLinkOf } from '../../../src/core/net/link-header.ts'

test.each<[name: string, values: string[], expected: string | null]>([
  ['none', [], null],
  ['another relation', ['</a.css>; rel=preload; as=style'], null],
  ['a token', ['<https://www.example.com/a>; rel=canonical'], 'https://www.example.com/a'],
  ['a quoted one', ['<https://www.example.com/a>; rel="canonical"'], 'https://www.example.com/a'],
  ['one of several relations', ['</a>; title="x"; rel="self Canonical"'], '/a'],
  ['behind another link', ['</a.css>; rel=preload, </b>; rel=canonical'], '/b'],
  ['in another field', ['</a.css>; rel=preload', '</b>; rel=canonical'], '/b'],
  ['a comma in the address', ['</a,b>; rel=canonical'], '/a,b'],
  ['a relation that only contains the word', ['</a>; rel=not-canonical'], null],
  ['a parameter of another name', ['</a>; xrel=canonical'], null],
  ['bytes that are not ASCII', ['</caf\xc3\xa9>; rel=canonical'], '/caf%C3%A9'],
  ['without an end', ['</a; rel=canonical'], null],
])('%s', (_, values, expected) => {
  expect(canonicalLinkOf(new Map(values.length === 0 ? [] : [['link', values]]))).toBe(expected)
})
