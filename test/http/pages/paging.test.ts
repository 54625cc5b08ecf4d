import { expect, test } from 'bun:test'

import { pageNumber, pagingOf } from '../../../src/http/pages/paging.ts'

test.each([
  [null, 1],
  ['', 1],
  ['0', 1],
  ['1', 1],
  ['2', 2],
  ['-2', 1],
  ['1.5', 1],
  ['999999', 999_999],
  ['1000001', 1_000_000],
  ['10000000', 1],
])('the page %j is page %i', (text, page) => expect(pageNumber(text)).toBe(page))

test.each([
  [0, 1],
  [1, 1],
  [50, 1],
  [51, 2],
  [100, 2],
  [101, 3],
])('%i rows have %i pages', (rows, pages) => expect(pagingOf(1, rows)).toEqual({ page: 1, pages }))
