import { describe, expect, test } from 'bun:test'

import { sniffCharset, type Charset } from '../../../../src/core/extract/reading/charset.ts'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const bytesOf = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...ascii(part)] : part)))

/** More than browsers prescan. */
const LONG = 'x'.repeat(1_100)

/** A text in Big5. */
const NOT_UTF8 = [0xa4, 0xa4, 0xa4, 0xe5]

interface Case {
  name: string
  bytes: Uint8Array
  contentType?: string
  isCut?: boolean
  charset: Charset
}

const CASES: readonly Case[] = [
  { name: 'an empty body', bytes: bytesOf(), charset: { encoding: 'utf-8', from: 'valid utf-8' } },
  { name: 'ASCII', bytes: bytesOf('<title>a</title>'), charset: { encoding: 'utf-8', from: 'valid utf-8' } },
  { name: 'valid UTF-8', bytes: bytesOf('<title>\u00e9</title>'), charset: { encoding: 'utf-8', from: 'valid utf-8' } },
  {
    name: 'a lone 0xE9',
    bytes: bytesOf('caf', [0xe9], ' au lait'),
    charset: { encoding: 'windows-1252', from: 'fallback' },
  },
  {
    name: 'a lone 0xE9 at the very end',
    bytes: bytesOf('caf', [0xe9]),
    charset: { encoding: 'windows-1252', from: 'fallback' },
  },
  {
    name: 'a page cut inside a character',
    bytes: bytesOf('caf', [0xc3]),
    isCut: true,
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'a UTF-8 mark against the header',
    bytes: bytesOf([0xef, 0xbb, 0xbf], 'a'),
    contentType: 'text/html; charset=iso-8859-1',
    charset: { encoding: 'utf-8', from: 'mark' },
  },
  { name: 'a UTF-16LE mark', bytes: bytesOf([0xff, 0xfe], 'a\0'), charset: { encoding: 'utf-16le', from: 'mark' } },
  { name: 'a UTF-16BE mark', bytes: bytesOf([0xfe, 0xff], '\0a'), charset: { encoding: 'utf-16be', from: 'mark' } },
  {
    name: 'the header against meta',
    bytes: bytesOf('<meta charset="iso-8859-1">\u00e9'),
    contentType: 'text/html; charset=utf-8',
    charset: { encoding: 'utf-8', from: 'header' },
  },
  {
    name: 'a single-byte header against UTF-8 with a character of three bytes',
    bytes: bytesOf('caf\u00e9 \u2019'),
    contentType: 'text/html; charset=iso-8859-1',
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'a single-byte header against UTF-8 with eight characters of two bytes',
    bytes: bytesOf('\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437'),
    contentType: 'text/html; charset=windows-1251',
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'a single-byte header against UTF-8 with the first characters of two bytes',
    bytes: bytesOf('\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087'),
    contentType: 'text/html; charset=windows-1251',
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'a single-byte header against UTF-8 with seven characters of two bytes',
    bytes: bytesOf('\u0430\u0431\u0432\u0433\u0434\u0435\u0436'),
    contentType: 'text/html; charset=windows-1251',
    charset: { encoding: 'windows-1251', from: 'header' },
  },
  {
    name: 'a single-byte header against bytes that are not UTF-8',
    bytes: bytesOf('\u2019\u2019\u2019', [0xe9]),
    contentType: 'text/html; charset=koi8-r',
    charset: { encoding: 'koi8-r', from: 'header' },
  },
  {
    name: 'a header of several bytes against UTF-8',
    bytes: bytesOf('\u2019\u2019'),
    contentType: 'text/html; charset=gb18030',
    charset: { encoding: 'gb18030', from: 'header' },
  },
  {
    name: 'http-equiv with a space behind it',
    bytes: bytesOf(LONG, '<meta http-equiv="Content-Type " content="text/html; charset=koi8-r">', NOT_UTF8),
    charset: { encoding: 'windows-1252', from: 'fallback' },
  },
  {
    name: 'the header in capitals and quotes',
    bytes: bytesOf('a'),
    contentType: 'Text/HTML;Charset="Shift_JIS"',
    charset: { encoding: 'shift_jis', from: 'header' },
  },
  {
    name: 'the header in single quotes',
    bytes: bytesOf('a'),
    contentType: "text/html; charset='UTF-8'",
    charset: { encoding: 'utf-8', from: 'header' },
  },
  {
    name: 'a label without hyphen',
    bytes: bytesOf('a'),
    contentType: 'text/html; charset=utf8',
    charset: { encoding: 'utf-8', from: 'header' },
  },
  {
    name: 'an unknown label',
    bytes: bytesOf('a'),
    contentType: 'text/html; charset=klingon',
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'a label of the replacement encoding',
    bytes: bytesOf('a'),
    contentType: 'text/html; charset=iso-2022-kr',
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'an unknown label and a meta',
    bytes: bytesOf('<meta charset=koi8-r>', [0xc1]),
    contentType: 'text/html; charset=default',
    charset: { encoding: 'koi8-r', from: 'meta' },
  },
  { name: 'meta charset', bytes: bytesOf('<meta charset="gbk">'), charset: { encoding: 'gbk', from: 'meta' } },
  {
    name: 'meta http-equiv',
    bytes: bytesOf('<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP">'),
    charset: { encoding: 'euc-jp', from: 'meta' },
  },
  {
    name: 'meta utf-16 in an ASCII page',
    bytes: bytesOf('<meta charset="utf-16">'),
    charset: { encoding: 'utf-8', from: 'meta' },
  },
  {
    name: 'meta after a comment of 900 bytes',
    bytes: bytesOf(`<!--${'x'.repeat(900)}--><meta charset=big5>`),
    charset: { encoding: 'big5', from: 'meta' },
  },
  {
    name: 'meta after content began, within 1,024 bytes',
    bytes: bytesOf('<div>x</div><head><meta charset=big5>'),
    charset: { encoding: 'big5', from: 'meta' },
  },
  {
    name: 'meta that ends with the 1,024 bytes, against valid UTF-8',
    bytes: bytesOf(`<p>${'x'.repeat(1_002)}<meta charset=big5>\u00e9`),
    charset: { encoding: 'big5', from: 'meta' },
  },
  {
    name: 'meta that ends a byte later: valid UTF-8',
    bytes: bytesOf(`<p>${'x'.repeat(1_003)}<meta charset=big5>\u00e9`),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'late meta in a long head, valid UTF-8',
    bytes: bytesOf(`<head><script>${LONG}</script><meta charset=big5>\u00e9`),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'late meta of UTF-8 in the body, valid UTF-8',
    bytes: bytesOf(`<div>${LONG}</div><meta charset=utf-8>\u00e9`),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'late meta of windows-1252 in the body, valid UTF-8',
    bytes: bytesOf(`<div>${LONG}</div><meta charset=windows-1252>\u00e9`),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'late meta of UTF-8, one byte of which is broken',
    bytes: bytesOf(`<div>${LONG}</div><meta charset=utf-8>\u00e9`, [0xe9]),
    charset: { encoding: 'utf-8', from: 'late meta' },
  },
  ...[
    ['in a long head', `<head><style>${LONG}</style><meta charset=big5>`],
    ['after an image in a long head', `<head><style>${LONG}</style><img src=x><meta charset=big5>`],
    ['far down a long head', `<head><title>t</title>${'<link rel=x>'.repeat(2_500)}<meta charset=big5>`],
    ['in the body', `<body><p>${LONG}</p><meta charset=big5>`],
    ['across the 1,024 bytes', `<p>${'x'.repeat(1_010)}<meta charset="big5">`],
    ['after a template', `<p>${LONG}</p><template></template></template><meta charset=big5>`],
    ['http-equiv', `<p>${LONG}</p><meta http-equiv=content-type content="text/html; charset = big5">`],
    [
      'http-equiv in quotes, after one without label',
      `<p>${LONG}</p><meta content='text/html; charset charset=&quot;' http-equiv=content-type><meta content="a; charset='big5'" http-equiv=Content-Type>`,
    ],
    ['in a script, where the prescan finds it too', `<p>${LONG}</p><script>"<meta charset=big5>"</script>`],
    ['after an unknown encoding', `<p>${LONG}</p><meta charset=klingon><meta charset=big5>`],
  ].map(([where, html]): Case => ({
    name: `late meta, not valid UTF-8: ${where}`,
    bytes: bytesOf(html!, NOT_UTF8),
    charset: { encoding: 'big5', from: 'late meta' },
  })),
  {
    name: 'late meta utf-16, not valid UTF-8',
    bytes: bytesOf(`<p>${LONG}</p><meta charset=utf-16le>`, NOT_UTF8),
    charset: { encoding: 'utf-8', from: 'late meta' },
  },
  ...[
    ['in a comment', `<p>${LONG}</p><!-- <meta charset=big5> -->`],
    ['in an attribute', `<p>${LONG}</p><a title="<meta charset=big5>">`],
    ['of an unknown encoding', `<p>${LONG}</p><meta charset=klingon>`],
    ['whose content is not a content type', `<p>${LONG}</p><meta name=x content="charset=big5">`],
    ['beyond the search limit', `<style>${'x'.repeat(32_768)}</style><meta charset=big5>`],
  ].map(([which, html]): Case => ({
    name: `late meta ${which}: none at all`,
    bytes: bytesOf(html!, NOT_UTF8),
    charset: { encoding: 'windows-1252', from: 'fallback' },
  })),
  {
    name: 'meta inside a comment',
    bytes: bytesOf('<!-- <meta charset=big5> -->'),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'an XML declaration that is longer than 1,024 bytes',
    bytes: bytesOf(`<?xml version="1.0" ${LONG} encoding="windows-1251"?>`),
    charset: { encoding: 'utf-8', from: 'valid utf-8' },
  },
  {
    name: 'an XML declaration',
    bytes: bytesOf('<?xml version="1.0" encoding="windows-1251"?>'),
    charset: { encoding: 'windows-1251', from: 'meta' },
  },
]

/** The same words in each legacy encoding. */
const TEXTS: readonly (readonly [label: string, bytes: number[], text: string])[] = [
  ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
  ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc], '日本'],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], '日本'],
  ['gb18030', [0xd6, 0xd0, 0xce, 0xc4], '中文'],
  ['gb2312', [0xd6, 0xd0, 0xce, 0xc4], '中文'],
  ['big5', [0xa4, 0xa4, 0xa4, 0xe5], '中文'],
  ['euc-kr', [0xc7, 0xd1, 0xb1, 0xdb], '한글'],
  ['windows-1250', [0xbe, 0xe8], 'ľč'],
  ['windows-1251', [0xcc, 0xe8, 0xf0], 'Мир'],
  ['windows-1252', [0x80, 0x96, 0xe9], '€–é'],
  ['iso-8859-1', [0x80, 0xe9], '€é'],
  ['iso-8859-2', [0xb5, 0xe8], 'ľč'],
  ['iso-8859-15', [0xa4], '€'],
  ['windows-1254', [0xfd, 0xf0], 'ığ'],
  ['windows-874', [0xe4, 0xb7, 0xc2], 'ไทย'],
  ['koi8-r', [0xed, 0xc9, 0xd2], 'Мир'],
  ['utf-16le', [0xe9, 0x00], 'é'],
]

describe('sniffCharset', () => {
  test.each(CASES.map((one) => [one.name, one] as const))(
    '%s',
    (_name, { bytes, contentType = '', isCut, charset }) => {
      expect(sniffCharset({ bytes, contentType, isWhole: !isCut })).toEqual(charset)
    },
  )

  test.each(TEXTS)('%s is decoded', (label, encoded, text) => {
    const { encoding } = sniffCharset({
      bytes: Uint8Array.from(encoded),
      contentType: `text/html; charset=${label}`,
      isWhole: true,
    })
    expect(new TextDecoder(encoding as Bun.Encoding).decode(Uint8Array.from(encoded))).toBe(text)
  })
})
