import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'

import { Gunzip } from '../../../src/fetch/response/gunzip.ts'

/** The text of a body that arrives in these chunks. */
async function textOf(...chunks: Uint8Array[]): Promise<string> {
  const decoded = Readable.from(chunks).compose(new Gunzip())
  return Buffer.concat(await decoded.toArray()).toString()
}

/** A member with a file name, a comment and the check of its header. */
function memberWithHeader(text: string): Buffer {
  const plain = gzipSync(text)
  const head = Buffer.from(plain.subarray(0, 10))
  head[3] = 2 | 8 | 16
  return Buffer.concat([head, Buffer.from('name\0comment\0cr'), plain.subarray(10)])
}

const BODY = Buffer.concat([gzipSync('one, '), memberWithHeader('two, '), gzipSync('three')])

describe('a body of three members', () => {
  test('is decoded wherever its chunks end', async () => {
    for (let end = 0; end <= BODY.length; end++) {
      expect([end, await textOf(BODY.subarray(0, end), BODY.subarray(end))]).toEqual([end, 'one, two, three'])
    }
  })

  test('is decoded byte by byte', async () => {
    const bytes = Array.from(BODY, (byte) => Uint8Array.of(byte))
    expect(await textOf(...bytes)).toBe('one, two, three')
  })

  test.each([
    ['text', Buffer.from('text')],
    ['half of a magic number', Buffer.from([0x1f])],
    ['another magic number', Buffer.from([0x1f, 0x8c, 8, 0])],
    ['another method', Buffer.from([0x1f, 0x8b, 7, 0])],
  ])('is decoded without what follows: %s', async (_, rest) => {
    expect(await textOf(BODY, rest)).toBe('one, two, three')
  })

  test('is decoded up to its end if it is truncated', async () => {
    expect(await textOf(BODY.subarray(0, gzipSync('one, ').length + 5))).toBe('one, ')
  })
})

test.each([
  ['text', Buffer.from('text')],
  ['another magic number', Buffer.from([0x1f, 0x8c, 8, 0, 0, 0, 0, 0, 0, 0])],
])('a body that is not gzip fails: %s', async (_, body) => {
  await expect(textOf(body)).rejects.toThrow('not gzip')
})
