import { describe, expect, test } from 'bun:test'

import { extractHtml, PageScan } from '../../../../src/core/extract/extract.ts'
import { toAsciiCompatible } from '../../../../src/core/extract/reading/transcode.ts'

/** Every byte of HTML syntax, other than letters. */
const SYNTAX = [...'<>"\'=&/!?- \t\n\f\r'].map((char) => char.charCodeAt(0))

/** All multi-byte encodings of the standard, except those that are converted. */
const MULTI_BYTE = ['utf-8', 'gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr']

const byteRange = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe.each(MULTI_BYTE)('%s', (encoding) => {
  const decoder = new TextDecoder(encoding as Bun.Encoding)
  const keepsSyntax = (before: number[]) =>
    SYNTAX.every((byte) => decoder.decode(Uint8Array.of(...before, byte)).endsWith(String.fromCharCode(byte)))

  test('the second byte of a character is never syntax', () => {
    expect(byteRange(0x80, 0xff).filter((lead) => !keepsSyntax([lead]))).toEqual([])
  })

  test('the third or fourth byte is never syntax', () => {
    for (const second of [0x30, 0x39, 0x40, 0x7e, 0x80, 0xa1, 0xfe]) {
      expect(byteRange(0x80, 0xff).filter((lead) => !keepsSyntax([lead, second]))).toEqual([])
      expect(byteRange(0x80, 0xff).filter((lead) => !keepsSyntax([lead, second, lead]))).toEqual([])
    }
  })
})

test.each(['utf-16le', 'utf-16be', 'iso-2022-jp', 'ISO-2022-JP'])('%s is converted to UTF-8', (encoding) => {
  expect(toAsciiCompatible({ bytes: new Uint8Array(4), encoding }).encoding).toBe('utf-8')
})

test.each(['utf-8', 'windows-1252', 'shift_jis', 'x-user-defined'])('%s is not converted', (encoding) => {
  const bytes = new Uint8Array(4)
  expect(toAsciiCompatible({ bytes, encoding })).toEqual({ bytes, encoding })
})

test.each([
  ['in one part', [10]],
  ['cut after a byte', [1, 10]],
  ['cut after two bytes', [2, 10]],
])('the byte-order mark does not count as text: %s', (_, ends) => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, ...Buffer.from('<p>text'))
  const scan = new PageScan(new URL('https://site.test/'))
  for (const end of ends) scan.read(bytes.subarray(0, end))
  expect(scan.finish(bytes).body).toMatchObject({ textLength: 4, texts: [{ start: 6, end: 10 }] })
})

test('a page in an encoding with shift sequences is decoded', () => {
  // ESC $ B switches to two-byte characters, of which the second here is `<` (0x3c); ESC ( B switches back.
  const title = Uint8Array.of(0x1b, 0x24, 0x42, 0x24, 0x3c, 0x1b, 0x28, 0x42)
  const bytes = Buffer.concat([Buffer.from('<title>'), title, Buffer.from('</title>')])
  const { metadata } = extractHtml({ bytes, encoding: 'iso-2022-jp', url: new URL('https://site.test/') })
  expect(metadata).toEqual({ title: 'ぜ' })
})
