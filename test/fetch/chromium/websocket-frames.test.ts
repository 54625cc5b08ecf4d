import { describe, expect, test } from 'bun:test'

import { createFrameReader, pongFrame, textFrame } from '../../../src/fetch/chromium/websocket-frames.ts'

const MAX_BYTES = 100_000

/** A frame of a server, which is not masked. */
function frame(payload: string | Buffer, { opcode = 1, isLast = true } = {}): Buffer {
  const bytes = Buffer.from(payload)
  const { length } = bytes
  const header = Buffer.alloc(length > 0xffff ? 10 : length > 125 ? 4 : 2)
  header[0] = (isLast ? 0x80 : 0) | opcode
  header[1] = length > 0xffff ? 127 : length > 125 ? 126 : length
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  if (header.length === 4) header.writeUInt16BE(length, 2)
  return Buffer.concat([header, bytes])
}

/** The events that are read from the bytes, which arrive in chunks of a size. */
function read(bytes: Buffer, chunkBytes: number): string[] {
  const events: string[] = []
  const push = createFrameReader({
    onMessage: (message) => events.push(message.length > 20 ? `${message.length} bytes` : String(message)),
    onPing: (payload) => events.push(`ping ${payload}`),
    onClose: () => events.push('closed'),
    isTooLong: (size) => size > MAX_BYTES,
  })
  for (let at = 0; at < bytes.length; at += chunkBytes) push(bytes.subarray(at, at + chunkBytes))
  return events
}

const long = 'x'.repeat(MAX_BYTES + 1)

describe.each([1, 2, 3, 7, 1_000, 1_000_000])('frames in chunks of %d bytes', (chunkBytes) => {
  test.each<[name: string, frames: Buffer[], expected: string[]]>([
    ['short ones', [frame('a'), frame(''), frame('b')], ['a', '', 'b']],
    ['lengths of 16 and 64 bits', [frame('x'.repeat(126)), frame('x'.repeat(70_000))], ['126 bytes', '70000 bytes']],
    [
      'fragments, with a ping between them',
      [
        frame('a', { isLast: false }),
        frame('p', { opcode: 9 }),
        frame('b', { opcode: 0, isLast: false }),
        frame('c', { opcode: 0 }),
      ],
      ['ping p', 'abc'],
    ],
    ['a message that is too long is dropped, and the next one is read', [frame(long), frame('a')], ['a']],
    [
      'fragments that are too long together',
      [frame(long.slice(1), { isLast: false }), frame('xx', { opcode: 0 }), frame('a')],
      ['a'],
    ],
    ['a pong', [frame('', { opcode: 10 }), frame('a')], ['a']],
    ['frames after a close are ignored', [frame('', { opcode: 8 }), frame('a')], ['closed']],
    ['a masked one', [textFrame('a', Buffer.from([1, 2, 3, 4])), frame('a')], ['closed']],
    ['a reserved bit', [Buffer.from([0xc1, 0])], ['closed']],
    ['binary', [frame('a', { opcode: 2 })], ['closed']],
    ['a long ping', [frame('x'.repeat(126), { opcode: 9 })], ['closed']],
    ['a ping in fragments', [frame('x', { opcode: 9, isLast: false })], ['closed']],
  ])('%s', (_, frames, expected) => expect(read(Buffer.concat(frames), chunkBytes)).toEqual(expected))
})

describe('frames to the server are masked', () => {
  const mask = Buffer.from([1, 2, 3, 4])
  const unmasked = (bytes: Buffer, headerBytes: number) => {
    expect(bytes[1]! & 0x80).toBe(0x80)
    expect(bytes.subarray(headerBytes, headerBytes + 4)).toEqual(mask)
    return Buffer.from(bytes.subarray(headerBytes + 4).map((byte, i) => byte ^ mask[i % 4]!)).toString()
  }

  test.each([
    ['short', 'a ☕', 2],
    ['of 16 bits', 'x'.repeat(126), 4],
    ['of 64 bits', 'x'.repeat(70_000), 10],
  ])('%s', (_, text, headerBytes) => expect(unmasked(textFrame(text, mask), headerBytes)).toBe(text))

  test('a pong has the bytes of the ping', () => expect(unmasked(pongFrame(Buffer.from('p'), mask), 2)).toBe('p'))
})
