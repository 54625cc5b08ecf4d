import { describe, expect, test } from 'bun:test'

import { framingOf, mayBeKept, type Framing } from '../../../src/fetch/connection/response-framing.ts'
import { parseHead } from '../../../src/fetch/connection/response-head.ts'

const headOf = (lines: string, start = 'HTTP/1.1 200 OK') => parseHead(`${start}\n${lines}\n\n`)
const CLOSE: Framing = { kind: 'close' }
const CHUNKED: Framing = { kind: 'chunked' }
const length = (bytes: number): Framing => ({ kind: 'length', bytes })

describe('the end of a body', () => {
  test.each<[name: string, lines: string, framing: Framing, isKept: boolean]>([
    ['a length', 'Content-Length: 3', length(3), true],
    ['a length of zero', 'Content-Length: 0', length(0), true],
    ['leading zeros', 'Content-Length: 003', length(3), true],
    ['a length and Connection: close', 'Content-Length: 3\nConnection: Close', length(3), false],
    ['close in a list', 'Content-Length: 3\nConnection: x, close', length(3), false],
    ['the same length twice', 'Content-Length: 3\nContent-Length: 3', length(3), false],
    ['the same length in a list', 'Content-Length: 3, 3', length(3), false],
    ['nothing', 'Server: x', CLOSE, false],
    ['an empty length', 'Content-Length:', CLOSE, false],
    ['a signed length', 'Content-Length: +3', CLOSE, false],
    ['a negative length', 'Content-Length: -3', CLOSE, false],
    ['a quoted length', 'Content-Length: "3"', CLOSE, false],
    ['a length in words', 'Content-Length: three', CLOSE, false],
    ['a length with a unit', 'Content-Length: 3 bytes', CLOSE, false],
    ['a hexadecimal length', 'Content-Length: 0x3', CLOSE, false],
    ['a fraction', 'Content-Length: 3.0', CLOSE, false],
    ['a huge length', `Content-Length: ${'9'.repeat(30)}`, CLOSE, true],
    ['chunks', 'Transfer-Encoding: chunked', CHUNKED, true],
    ['chunks, in capitals', 'Transfer-Encoding: Chunked', CHUNKED, true],
    ['chunks and a length', 'Transfer-Encoding: chunked\nContent-Length: 3', CHUNKED, false],
    [
      'chunks and different lengths',
      'Transfer-Encoding: chunked\nContent-Length: 3\nContent-Length: 4',
      CHUNKED,
      false,
    ],
    ['chunks of something', 'Transfer-Encoding: gzip, chunked', CHUNKED, false],
    ['chunks of something, in two fields', 'Transfer-Encoding: gzip\nTransfer-Encoding: chunked', CHUNKED, false],
    ['another encoding', 'Transfer-Encoding: identity\nContent-Length: 3', length(3), false],
    ['an unknown encoding', 'Transfer-Encoding: xchunked', CLOSE, false],
  ])('%s', (_, lines, framing, isKept) => {
    expect(framingOf(headOf(lines))).toEqual(framing)
    expect(mayBeKept(headOf(lines))).toBe(isKept)
  })

  test.each([204, 205, 304])('%i has no body', (status) => {
    expect(framingOf(headOf('Transfer-Encoding: chunked', `HTTP/1.1 ${status} x`))).toEqual(length(0))
    // A server may send one nevertheless.
    expect(mayBeKept(headOf('Content-Length: 12', `HTTP/1.1 ${status} x`))).toBe(false)
  })

  test('HTTP/1.0 has no chunks, and its connections are not kept', () => {
    expect(framingOf(headOf('Transfer-Encoding: chunked', 'HTTP/1.0 200 OK'))).toEqual(CLOSE)
    expect(mayBeKept(headOf('Content-Length: 3', 'HTTP/1.0 200 OK'))).toBe(false)
  })

  test.each([
    ['different lengths', 'Content-Length: 3\nContent-Length: 4'],
    ['different lengths in a list', 'Content-Length: 3, 4'],
    ['a length and an invalid one', 'Content-Length: 3\nContent-Length: x'],
    ['different Locations', 'Location: /a\nLocation: /b'],
    ['different Content-Dispositions', 'Content-Disposition: inline\nContent-Disposition: attachment'],
  ])('%s are an error', (_, lines) => expect(() => framingOf(headOf(lines))).toThrow('invalid response'))

  test('equal Locations are none', () => {
    expect(framingOf(headOf('Location: /a\nLocation: /a'))).toEqual(CLOSE)
  })
})
