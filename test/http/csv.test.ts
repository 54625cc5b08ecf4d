import { expect, test } from 'bun:test'

import { csvOf } from '../../src/http/csv.ts'

test.each([
  ['text and numbers', ['a', 1, null], 'a,1,'],
  ['a comma', ['a,b'], '"a,b"'],
  ['a quotation mark', ['a"b'], '"a""b"'],
  ['a line break', ['a\nb'], '"a\nb"'],
  ['a formula', ['=1+1'], "'=1+1"],
  ['a formula with a comma', ['@SUM(A1,A2)'], `"'@SUM(A1,A2)"`],
  ['a negative number', [-1], '-1'],
])('%s', (_, row, expected) => expect(csvOf(['h'], [row])).toBe(`h\r\n${expected}\r\n`))
