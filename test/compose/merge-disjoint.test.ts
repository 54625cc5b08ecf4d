import { expect, test } from 'bun:test'

import { mergeDisjoint } from '../../src/compose/merge-disjoint.ts'

test('two parts with different names become one', () =>
  expect(mergeDisjoint({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 }))

test('a name that both have does not compile', () => {
  // @ts-expect-error both have the name
  expect(mergeDisjoint({ a: 1, b: 1 }, { b: 2 })).toBeObject()
})
