import { expect, test } from 'bun:test'

import { countJsonValues } from '../../../../src/core/extract/json-ld/json-value-count.ts'

test.each<[json: string, expected: number | null]>([
  ['"text"', 0],
  ['[1, 2, 3]', 3],
  ['{"a": {"b": 1}}', 2],
  ['[",,,,"]', 1],
  // An escaped quote does not end a string; a quote after an escaped backslash does.
  [String.raw`["\",,,,"]`, 1],
  [String.raw`["\\",1]`, 2],
  ['["a', 1],
  ['[[[1]]]', 3],
  ['[[[[1]]]]', null],
  ['[1,2,3,4,5]', 5],
  ['[1,2,3,4,5,6]', null],
])('%s has %p values', (json, expected) => expect(countJsonValues(json, { depth: 3, values: 5 })).toBe(expected))
