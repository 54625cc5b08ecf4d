import { expect, test } from 'bun:test'

import { parseRefresh } from '../../../../src/core/extract/page/refresh.ts'

const to = (address: string, delaySeconds = 0) => ({ delaySeconds, address })

test.each<[content: string, expected: ReturnType<typeof parseRefresh>]>([
  ['0;url=/x', to('/x')],
  ['0; URL=/x', to('/x')],
  ["0; URL='/x'", to('/x')],
  ['0;url="/x"', to('/x')],
  ['0;url="/x" and more', to('/x')],
  ["0;url='/x", to('/x')],
  ['0, url=/x', to('/x')],
  ['0 url=/x', to('/x')],
  ['0 /x', to('/x')],
  ['0;/x', to('/x')],
  ['0;"/x"', to('/x')],
  ['  5 ;  url  =  /x  ', to('/x', 5)],
  ['1.9;url=/x', to('/x', 1)],
  ['.5;url=/x', to('/x')],
  ['300;url=/x', to('/x', 300)],
  ['0;url=/x?a=1;b=2', to('/x?a=1;b=2')],
  ['0;url=url=/x', to('url=/x')],
  ['0;URL=', to('')],
  ['0', to('')],
  ['5;', to('', 5)],
  ['', null],
  ['url=/x', null],
  ['-1;url=/x', null],
  ['0url=/x', null],
  ['x;url=/x', null],
])('%p', (content, expected) => expect(parseRefresh(content)).toEqual(expected))
