import { expect, test } from 'bun:test'

import { parseFetchTimeout } from '../../src/core/limits.ts'

test.each<[name: string, text: string, expected: number | null]>([
  ['below the minimum', '0', null],
  ['the minimum', '1', 1],
  ['the maximum', '15000', 15_000],
  ['above the maximum', '15001', null],
  ['leading zeros', '0005000', 5_000],
  ['an exponent', '5e3', null],
  ['a fraction', '5000.0', null],
  ['a sign', '+5000', null],
  ['white space', ' 5000', null],
  ['more digits than a number holds', '9'.repeat(400), null],
  ['nothing', '', null],
])('%s', (_, text, expected) => expect(parseFetchTimeout(text)).toBe(expected))
