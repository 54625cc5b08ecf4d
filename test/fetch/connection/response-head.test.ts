import { describe, expect, test } from 'bun:test'

import { endOfHead, parseHead, startOfHead } from '../../../src/fetch/connection/response-head.ts'

const head = (text: string) => {
  const { fields, ...rest } = parseHead(text.replaceAll('\n', '\r\n'))
  return { ...rest, fields: Object.fromEntries(fields) }
}

describe('a status line', () => {
  test.each<[line: string, status: number, isHttp11: boolean]>([
    ['HTTP/1.1 200 OK', 200, true],
    ['HTTP/1.1 404', 404, true],
    ['HTTP/1.0 200 OK', 200, false],
    ['http/1.1 200 ok', 200, true],
    ['HTTP/1.1 200OK', 200, true],
    ['HTTP/1.1   204 No Content', 204, true],
    ['HTTP/2 200 OK', 200, false],
    ['HTTP/2.0 200 OK', 200, true],
    ['HTTP/1.2 200 OK', 200, true],
    ['HTTP/0.9 200 OK', 200, false],
    ['HTTP/1.1', 200, true],
    ['HTTP/1.1 OK', 200, true],
    ['HTTP 503 Unavailable', 503, false],
    ['HTTP/1.1 999 Denied', 999, true],
  ])('%s', (line, status, isHttp11) => expect(head(`${line}\n\n`)).toEqual({ status, isHttp11, fields: {} }))

  test.each(['HTTP/1.1 99 x', 'HTTP/1.1 1000 x', 'HTTP/1.1 0 x'])('%s is invalid', (line) => {
    expect(() => head(`${line}\n\n`)).toThrow('invalid response')
  })

  test.each<[name: string, bytes: string, start: number | null]>([
    ['at the start', 'HTTP/1.1', 0],
    ['after a line break', '\r\nHTTP/1', 2],
    ['after four bytes', 'abcdHTTP', 4],
    ['not yet', '\r\nHT', null],
    ['not within seven bytes', 'abcdHTT', null],
  ])('%s', (_, bytes, start) => expect(startOfHead(Buffer.from(bytes))).toBe(start))

  test('is not searched for after four bytes', () => {
    expect(() => startOfHead(Buffer.from('abcdeHTTP'))).toThrow('invalid response')
  })
})

describe('a field', () => {
  test.each<[name: string, lines: string, fields: Record<string, string[]>]>([
    ['ordinary', 'Server: x\n', { server: ['x'] }],
    ['twice', 'A: 1\nB: 2\na: 3\n', { a: ['1', '3'], b: ['2'] }],
    ['empty', 'Location:\n', { location: [''] }],
    ['white space around the value', 'A:\t  b c \t\n', { a: ['b c'] }],
    ['white space before the colon', 'X-Powered-By : engine\n', { 'x-powered-by': ['engine'] }],
    ['a colon in the value', 'A: b:c\n', { a: ['b:c'] }],
    ['Latin-1', 'A: caf\xe9\n', { a: ['caf\xe9'] }],
    ['a folded value', 'A: b\n\t c\n  d\nE: f\n', { a: ['b c d'], e: ['f'] }],
    ['a no-break space of Latin-1', 'A: b\xa0\n', { a: ['b\xa0'] }],
    ['every character of a token', "!#$%&'*+-.^_`|~09az: x\n", { "!#$%&'*+-.^_`|~09az": ['x'] }],
    [
      'a name like that of a method of objects',
      'toString: x\n__proto__: y\n',
      { tostring: ['x'], ['__proto__']: ['y'] },
    ],
  ])('%s', (_, lines, fields) => expect(head(`HTTP/1.1 200 OK\n${lines}\n`).fields).toEqual(fields))

  test.each([
    ['without a colon', 'stray text'],
    ['without a name', ': x'],
    ['a name with a blank', 'X Cache: HIT'],
    ['a name in brackets', '[x]: y'],
    ['a name with a Latin-1 character', 'caf\xe9: y'],
    ['a warning of PHP', '<b>Warning</b>: Cannot modify header information in <b>/x.php</b>'],
    ['a folded line after it', 'X Cache: HIT\n  still ignored'],
  ])('a line is ignored: %s', (_, line) => {
    expect(head(`HTTP/1.1 200 OK\nA: b\n${line}\nC: d\n\n`).fields).toMatchObject({ a: ['b'], c: ['d'] })
    expect(Object.keys(head(`HTTP/1.1 200 OK\nA: b\n${line}\nC: d\n\n`).fields)).toEqual(['a', 'c'])
  })

  test('a folded line after the status line is ignored', () => {
    expect(head('HTTP/1.1 200 OK\n  x: y\nA: b\n\n').fields).toEqual({ a: ['b'] })
  })

  test('a carriage return alone ends a line', () => {
    expect(Object.fromEntries(parseHead('HTTP/1.1 200 OK\rA: b\rC: d\r\n\r\n').fields)).toEqual({ a: ['b'], c: ['d'] })
  })

  test('a NUL makes the head invalid', () => {
    expect(() => head('HTTP/1.1 200 OK\nA: b\0c\n\n')).toThrow('invalid response')
  })

  test('200 are read; one more is too much', () => {
    expect(() => head(`HTTP/1.1 200 OK\n${'A: b\n'.repeat(200)}\n`)).not.toThrow()
    expect(() => head(`HTTP/1.1 200 OK\n${'A: b\n'.repeat(201)}\n`)).toThrow('response too large')
  })

  test('ignored lines do not count', () => {
    expect(() => head(`HTTP/1.1 200 OK\n${'stray\n'.repeat(1_000)}\n`)).not.toThrow()
  })
})

describe('the end of a head', () => {
  test.each<[name: string, bytes: string, end: number]>([
    ['an empty line', 'a\r\n\r\nb', 5],
    ['line feeds', 'a\n\nb', 3],
    ['a line feed, then both', 'a\n\r\nb', 4],
    ['both, then a line feed', 'a\r\n\nb', 4],
    ['not yet', 'a\r\nb\r\n', -1],
    ['not yet, with a carriage return', 'a\r\n\r', -1],
    ['two carriage returns are none', 'a\n\r\r\nb', -1],
  ])('%s', (_, bytes, end) => expect(endOfHead(Buffer.from(bytes), 0)).toBe(end))
})
