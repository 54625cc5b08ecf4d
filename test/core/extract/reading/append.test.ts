import { expect, test } from 'bun:test'

import { append } from '../../../../src/core/extract/reading/append.ts'

test('values are added to the list of their key until it is full', () => {
  const lists = new Map<string, number[]>()
  expect([1, 2, 3].map((value) => append(lists, 'a', value, 2))).toEqual([true, true, false])
  expect(append(lists, 'b', 4, 2)).toBe(true)
  expect(Object.fromEntries(lists)).toEqual({ a: [1, 2], b: [4] })
})
