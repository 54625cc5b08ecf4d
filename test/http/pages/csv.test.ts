import { expect, test } from 'bun:test'

import { csvOf } from '../../../src/http/pages/csv.ts'

test.each([
  ['text and numbers', ['a', 1, null], 'a,1,'],
  ['a comma', ['a,b'], '"a,b"'],
  ['a quotation mark', ['a"b'], '"a""b"'],
  ['a line break', ['a\nb'], '"a\nb"'],
  ['a formula', ['=1+1'], "'=1+1"],
  ...['＝', '＋', '－', '＠'].map(
    (sign) => [`a formula that begins with ${sign}`, [`${sign}1+1`], `'${sign}1+1`] as const,
  ),
  ['a full-width formula after a semicolon', ['/a; ＝1+1'], "/a;' ＝1+1"],
  ['a formula with a comma', ['@SUM(A1,A2)'], `"'@SUM(A1,A2)"`],
  ['a formula after spaces', ['  =1+1'], "'  =1+1"],
  ['a tab at the start', ['\tx'], "'\tx"],
  ['a formula after a semicolon, where spreadsheets split lines', ['/a;=1+1;b;@x'], "/a;'=1+1;b;'@x"],
  ['signs inside a text', ['a=1-2+3@4'], 'a=1-2+3@4'],
  ['an empty text', [''], ''],
  ['a negative number', [-1], '-1'],
])('%s', (_, row, expected) => expect(csvOf(['h'], [row])).toBe(`h\r\n${expected}\r\n`))
