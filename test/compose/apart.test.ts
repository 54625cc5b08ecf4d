import { expect, test } from 'bun:test'

import { apart } from '../../src/compose/apart.ts'

test('two parts with different names become one', () => expect(apart({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 }))

test('a name that both have does not compile', () => {
  // @ts-expect-error both have the name
  expect(apart({ a: 1, b: 1 }, { b: 2 })).toBeObject()
})
