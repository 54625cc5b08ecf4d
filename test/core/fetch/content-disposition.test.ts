import { expect, test } from 'bun:test'

import { fileNameOf } from '../../../src/core/fetch/content-disposition.ts'

test.each<[header: string, name: string]>([
  ['attachment', ''],
  ['', ''],
  ['attachment; filename=report.pdf', 'report.pdf'],
  ['inline;filename="Annual report.pdf"', 'Annual report.pdf'],
  ['inline; FileName = "a.pdf"; size=3', 'a.pdf'],
  ['attachment; filename="a;b.pdf"', 'a;b.pdf'],
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ['attachment; filename="not closed.pdf', 'not closed.pdf'],
  ['attachment; filename="C:\\\\files\\\\a.pdf"', 'a.pdf'],
  ['attachment; filename="../../etc/a.pdf"', 'a.pdf'],
  ['attachment; filename="a%20b.pdf"', 'a b.pdf'],
  [`attachment; filename*=UTF-8''na%C3%AFve%20plan.pdf`, 'naïve plan.pdf'],
  [`attachment; filename="x.pdf"; filename*=utf-8'en'%E2%82%AC.pdf`, '€.pdf'],
  [`attachment; filename*=ISO-8859-1''caf%E9.pdf`, 'café.pdf'],
  [`attachment; filename="x.pdf"; filename*=UTF-8''%E9.pdf`, 'x.pdf'],
  ['attachment; filename="x.pdf"; filename*=none', 'x.pdf'],
  ['attachment; filename="caf\xc3\xa9.pdf"', 'café.pdf'],
  ['attachment; filename="caf\xe9.pdf"', 'café.pdf'],
  [`attachment; filename*=UTF-8''; filename=b.pdf`, 'b.pdf'],
  ['attachment; filename="a.pdf"; filename="b.pdf"', 'a.pdf'],
])('%s', (header, name) => expect(fileNameOf(header)).toBe(name))
