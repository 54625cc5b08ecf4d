import { expect, test } from 'bun:test'

import { describeFile } from '../../../src/core/extract/describe-file.ts'

test.each<[url: string, kind: 'image' | 'other', metadata: object]>([
  ['https://site.test/i.png', 'image', { image: 'https://site.test/i.png' }],
  ['https://site.test/i.png?w=1#x', 'image', { image: 'https://site.test/i.png?w=1' }],
  ['https://site.test/', 'image', { image: 'https://site.test/' }],
  ['https://site.test/f/report.pdf', 'other', { title: 'report.pdf' }],
  ['https://site.test/f/report.pdf?download=1', 'other', { title: 'report.pdf' }],
  ['https://site.test/f/Q1%20report.pdf', 'other', { title: 'Q1 report.pdf' }],
  ['https://site.test/f/R%C3%A9sum%C3%A9.pdf', 'other', { title: 'Résumé.pdf' }],
  ['https://site.test/f/caf%E9.pdf', 'other', { title: 'caf%E9.pdf' }],
  ['https://site.test/f/a%2Fb.txt', 'other', { title: 'a/b.txt' }],
  ['https://site.test/f/%0A%09x.txt', 'other', { title: 'x.txt' }],
  ['https://site.test/f/', 'other', {}],
  ['https://site.test', 'other', {}],
  ['https://site.test/%20', 'other', {}],
  ['https://site.test/api', 'other', { title: 'api' }],
  [`https://site.test/${'x'.repeat(300)}`, 'other', { title: 'x'.repeat(255) }],
])('%s as %s', (url, kind, metadata) => {
  const described = describeFile({ url: new URL(url), kind, bytes: new Uint8Array(), encoding: 'utf-8' })
  expect(described.metadata).toEqual(metadata)
  expect(Object.keys(described.sources)).toEqual(Object.keys(metadata))
})
