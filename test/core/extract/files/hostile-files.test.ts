import { describe, expect, test } from 'bun:test'

import { describeFile } from '../../../../src/core/extract/describe-file.ts'
import { xmlFileValues } from '../../../../src/core/extract/files/file-sources.ts'
import { countedBytes } from '../counted-bytes.ts'

const filled = (unit: string, size: number) => unit.repeat(size / unit.length)
const CHANNEL = '<rss><channel>'
const NAME = 'file.x'

/** Files of a size, and their titles. Without a title of its own, a file has its name. */
const XML: Readonly<Record<string, readonly [file: (size: number) => string, title: string]>> = {
  'unclosed elements': [(size) => `<rss>${filled('<a>', size)}`, NAME],
  'unclosed elements of the channel': [(size) => `${CHANNEL}<title>T</title>${filled('<b>', size)}`, 'T'],
  'unclosed channels': [(size) => `<rss>${filled('<channel>', size)}<title>T</title>`, NAME],
  'unclosed titles': [(size) => CHANNEL + filled('<title>', size), NAME],
  'unclosed items': [(size) => `${CHANNEL}${filled('<item><title>I</title>', size)}`, NAME],
  'end tags': [(size) => `${filled('</a>', size)}${CHANNEL}<title>T</title>`, 'T'],
  'end tags in an item': [
    (size) => `${CHANNEL}<item>${filled('</a>', size)}<title>I</title></item><title>T</title>`,
    'T',
  ],
  'a title that does not end': [(size) => `${CHANNEL}<title>${filled('x', size)}`, NAME],
  'a long title': [(size) => `${CHANNEL}<title>${filled('x', size)}</title>`, 'x'.repeat(1_000)],
  'blank titles': [(size) => `${CHANNEL}${filled('<title> </title>', size)}<title>T</title>`, 'T'],
  'a title of comments': [(size) => `${CHANNEL}<title>T${filled('<!---->', size)}</title>`, 'T'],
  'a title of sections': [(size) => `${CHANNEL}<title>T${filled('<![CDATA[ ]]>', size)}</title>`, 'T'],
  'a section that does not end': [(size) => `${CHANNEL}<title><![CDATA[T${filled(']] ', size)}`, NAME],
  'links to itself': [(size) => `${CHANNEL}${filled('<atom:link rel="self" href=""/>', size)}<title>T</title>`, 'T'],
  'root elements': [(size) => `${filled('<a xml:lang="x"/>', size)}<feed><title>T</title></feed>`, 'T'],
  'attributes of the root': [(size) => `<rss ${filled('xml:lang="', size)}"><title>T</title></rss>`, 'T'],
  'a long prefix': [(size) => `<${filled('a:', size)}rss><title>T</title>`, 'T'],
}

describe('a hostile XML document', () => {
  test.each(Object.entries(XML))('%s', (_, [file, title]) => {
    const bytes = Buffer.from(file(131_072))
    const url = new URL(`https://site.test/${NAME}`)
    expect(describeFile({ url, kind: 'other', bytes, encoding: 'utf-8' }).metadata.title).toBe(title)
  })

  /** The highest count of any document is 3.7. */
  const MAX_STEPS_PER_BYTE = 5

  test.each(Object.entries(XML))('is read in linear time: %s', (_, [file]) => {
    const stepsPerByte = (size: number) => {
      const { bytes, steps } = countedBytes(file(size))
      xmlFileValues({ bytes, encoding: 'utf-8' })
      return steps() / bytes.length
    }
    expect(Math.max(stepsPerByte(10_000), stepsPerByte(20_000))).toBeWithin(0, MAX_STEPS_PER_BYTE)
  })
})

test('entities that expand to others are not expanded', () => {
  const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')
  const bomb = `<!DOCTYPE rss [<!ENTITY e0 "ha">${levels}]>${CHANNEL}<title>A bomb: &e9;</title></channel></rss>`
  const url = new URL('https://site.test/')
  const { metadata } = describeFile({ url, kind: 'other', bytes: Buffer.from(bomb), encoding: 'utf-8' })
  expect(metadata.title).toBe(`A bomb: ${'&e8;'.repeat(10)}`)
})

const JSON_FEEDS: Readonly<Record<string, readonly [json: string, title: string]>> = {
  'cut in its items': [`{"title":"T","items":[{"title":"I","url":"${'x'.repeat(1_000)}`, 'T'],
  'cut before its items': ['{"title":"T","description":"abc', NAME],
  'with items first': ['{"items":[{"title":"I"}],"title":"T"}', 'T'],
  'with a text about items': [String.raw`{"title":", \"items\": [","items":[{"a`, ', "items": ['],
  'of values of other types': ['{"title":{"text":"T"},"authors":"Jo","icon":5,"author":[null,1,{"name":{}}]}', NAME],
  'of lists': [`{"title":${'['.repeat(60_000)}`, NAME],
  'of objects': ['{"a":'.repeat(12_000), NAME],
  'of many items': [`{"a":1${', "items" :'.repeat(6_000)}`, NAME],
  'that is a list': ['[{"title":"T"}]', NAME],
  'of a prototype': ['{"__proto__":{"title":"P"},"title":"T"}', 'T'],
}

test.each(Object.entries(JSON_FEEDS))('a JSON Feed %s', (_, [json, title]) => {
  const url = new URL(`https://site.test/${NAME}`)
  const { metadata } = describeFile({ url, kind: 'other', bytes: Buffer.from(json), encoding: 'utf-8' })
  expect(metadata).toEqual({ title })
})
