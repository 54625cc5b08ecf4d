import { expect, test } from 'bun:test'

import { addTo, percentile, totalOf } from '../../src/core/tally.ts'

test.each([
  ['none', [], 50, null],
  ['one', [7], 95, 7],
  ['the middle of an odd number', [3, 1, 2], 50, 2],
  ['the lower middle of an even number', [4, 1, 3, 2], 50, 2],
  ['95 of 100', Array.from({ length: 100 }, (_, i) => i + 1), 95, 95],
  ['95 of 20', Array.from({ length: 20 }, (_, i) => i + 1), 95, 19],
  ['95 of 100, of which 95 are the same', [...Array.from({ length: 95 }, () => 3), 9, 8, 7, 6, 5], 95, 3],
  ['96 of them', [...Array.from({ length: 95 }, () => 3), 9, 8, 7, 6, 5], 96, 5],
  ['by value and not by text', [9, 10, 100], 100, 100],
])('the percentile of %s', (_, numbers, percent, expected) => {
  const counts = new Map<number, number>()
  for (const number of numbers) addTo(counts, number, 1)
  expect(percentile(counts, percent)).toBe(expected)
})

test('the total is the sum of all counts', () => {
  expect([
    totalOf(new Map()),
    totalOf(
      new Map([
        ['a', 2],
        ['b', 3],
      ]),
    ),
  ]).toEqual([0, 5])
})
