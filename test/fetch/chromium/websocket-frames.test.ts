import { describe, expect, test } from 'bun:test'

import { createFrameReader, pongFrame, textFrame } from '../../../src/fetch/chromium/websocket-frames.ts'
import { serverFrame as frame } from './server-frame.ts'

/** The events that are read from the bytes, which arrive in chunks of a size. */
function read(bytes: Buffer, chunkBytes: number): string[] {
  const events: string[] = []
  let message = ''
  const push = createFrameReader({
    onText: (part) => void (message += part.toString()),
    onMessageEnd() {
      events.push(message.length > 20 ? `${message.length} bytes` : message)
      message = ''
    },
    onPing: (payload) => events.push(`ping ${payload}`),
    onClose: () => events.push('closed'),
  })
  for (let at = 0; at < bytes.length; at += chunkBytes) push(bytes.subarray(at, at + chunkBytes))
  return events
}

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
    [
      'empty fragments',
      [frame('', { isLast: false }), frame('', { opcode: 0, isLast: false }), frame('a', { opcode: 0 }), frame('b')],
      ['a', 'b'],
    ],
    ['a fragment that continues nothing', [frame('a', { opcode: 0 }), frame('b')], ['closed']],
    ['a fragment after the last one', [frame('a'), frame('b', { opcode: 0 })], ['a', 'closed']],
    ['a message within another', [frame('a', { isLast: false }), frame('b'), frame('c', { opcode: 0 })], ['closed']],
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
