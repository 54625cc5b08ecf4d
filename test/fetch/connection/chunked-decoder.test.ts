import { describe, expect, test } from 'bun:test'

import { ChunkedDecoder } from '../../../src/fetch/connection/chunked-decoder.ts'

/** Decodes parts that arrive one after the other. */
function decoded(parts: readonly string[]) {
  const decoder = new ChunkedDecoder()
  let data = ''
  let rest = ''
  for (const part of parts) {
    const bytes = Buffer.from(part, 'latin1')
    const { data: decodedPart, used, failure } = decoder.decode(bytes)
    if (failure !== null) throw failure
    data += decodedPart.toString('latin1')
    rest += part.slice(used)
  }
  return { data, rest, isAtEnd: decoder.isAtEnd }
}

describe('a body in chunks', () => {
  test.each<[name: string, bytes: string, data: string, rest?: string]>([
    ['two chunks', '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n', 'abcde'],
    ['bytes after it', '3\r\nabc\r\n0\r\n\r\nHTTP/1.1', 'abc', 'HTTP/1.1'],
    ['hexadecimal sizes', 'A\r\n0123456789\r\nb\r\nabcdefghijk\r\n000\r\n\r\n', '0123456789abcdefghijk'],
    ['line feeds alone', '3\nabc\n0\n\n', 'abc'],
    ['extensions', '3;a=b;c="d"\r\nabc\r\n0;x\r\n\r\n', 'abc'],
    ['a blank after the size', '3 \r\nabc\r\n0  \r\n\r\n', 'abc'],
    ['trailers', '3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n', 'abc'],
    ['stray text as a trailer', '3\r\nabc\r\n0\r\nstray\r\n\r\n', 'abc'],
    ['line breaks as data', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
    ['nothing', '0\r\n\r\n', ''],
  ])('%s', (_, bytes, data, rest = '') => {
    const expected = { data, rest, isAtEnd: true }
    expect(decoded([bytes])).toEqual(expected)
    expect(decoded(bytes.split(''))).toEqual(expected)
    for (let at = 1; at < bytes.length; at++) {
      expect(decoded([bytes.slice(0, at), bytes.slice(at)])).toEqual(expected)
    }
  })

  test.each([
    ['no size', '\r\nabc'],
    ['only an extension', ';a\r\n'],
    ['a sign', '+3\r\nabc\r\n'],
    ['a prefix', '0x3\r\nabc\r\n'],
    ['text', 'zz\r\n'],
    ['data that is too long', '3\r\nabcd\r\n'],
    ['a size over 53 bits', `${'f'.repeat(14)}\r\n`],
  ])('is invalid: %s', (_, bytes) => {
    expect(() => decoded([bytes])).toThrow('invalid response')
    expect(() => decoded(bytes.split(''))).toThrow('invalid response')
  })

  test.each<[name: string, part: string, maxParts: number]>([
    ['an extension', 'x', 70_000],
    ['chunks of one byte', '1\r\na\r\n', 20_000],
  ])('endless framing is too large: %s', (_, part, maxParts) => {
    const start = part === 'x' ? '1;' : ''
    expect(() => decoded([start + part.repeat(maxParts)])).toThrow('response too large')
    expect(() => decoded([start, ...Array.from({ length: maxParts }, () => part)])).toThrow('response too large')
  })

  test('10,000 chunks of 16 bytes are not too large', () => {
    const { data } = decoded(['10\r\n0123456789abcdef\r\n'.repeat(10_000)])
    expect(data.length).toBe(160_000)
  })
})
