import { describe, expect, test } from 'bun:test'

import { BodyBuffer, SpareBuffers } from '../../../src/fetch/response/body-buffer.ts'

const KB = 1_024

/** Bytes whose values show their position. */
function bytesOf(length: number, from = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = (from + i) % 251
  return bytes
}

function gather(lengths: readonly number[]) {
  const buffer = new BodyBuffer(2_048 * KB)
  let size = 0
  for (const length of lengths) {
    buffer.append(bytesOf(length, size))
    size += length
  }
  return buffer
}

describe('chunks are joined', () => {
  test.each<[string, number[], number]>([
    ['none', [], 0],
    ['one', [100], 100],
    ['an empty one first', [0, 100, 0, 5], 105],
    ['some', [100, 200, 300], 600],
    ['as large as the first buffer', [100, 256 * KB - 100], 256 * KB],
    ['one byte more', [100, 256 * KB - 100, 1], 256 * KB + 1],
    ['far more in one chunk', [100, 1_000 * KB], 1_000 * KB + 100],
    ['many', Array.from({ length: 30 }, () => 60 * KB), 1_800 * KB],
    ['exactly the cap', [1_000 * KB, 1_048 * KB], 2_048 * KB],
    ['more than the cap', [1_000 * KB, 1_000 * KB, 1_000 * KB], 2_048 * KB],
  ])('%s', (_, lengths, expected) => {
    const buffer = gather(lengths)
    expect(buffer.bytes.length).toBe(expected)
    expect(Buffer.compare(buffer.bytes, bytesOf(expected))).toBe(0)
    expect(buffer.isFull).toBe(expected === 2_048 * KB)
  })
})

test('the only chunk is not copied', () => {
  const chunk = bytesOf(5_000)
  using buffer = new BodyBuffer(KB * KB)
  buffer.append(chunk)
  expect(buffer.bytes.buffer).toBe(chunk.buffer)
})

describe('a disposed body', () => {
  test.each<[string, number[]]>([
    ['none', []],
    ['one chunk', [100]],
    ['several chunks', [100, 200]],
    ['more than the smallest buffer', [200 * KB, 200 * KB]],
  ])('has no bytes and can be disposed again: %s', (_, lengths) => {
    const buffer = gather(lengths)
    buffer[Symbol.dispose]()
    buffer[Symbol.dispose]()
    expect(buffer.size).toBe(0)
    expect(buffer.bytes.length).toBe(0)
  })

  test('leaves its memory to the next, and its views become empty', () => {
    const first = gather([1_000, 200 * KB])
    const view = first.bytes
    const before = view.slice()
    first[Symbol.dispose]()
    const next = gather([10, 20])
    expect(view.length).toBe(0)
    // What lies behind the new bytes is the memory of the first body.
    const memory = new Uint8Array(next.bytes.buffer)
    expect(Buffer.compare(memory.subarray(30, 200 * KB), before.subarray(30, 200 * KB))).toBe(0)
    expect(Buffer.compare(next.bytes, bytesOf(30))).toBe(0)
  })

  test('keeps the memory of the only chunk, which belongs to the connection', () => {
    const chunk = bytesOf(5_000)
    const buffer = new BodyBuffer(KB * KB)
    buffer.append(chunk)
    buffer[Symbol.dispose]()
    expect(Buffer.compare(chunk, bytesOf(5_000))).toBe(0)
  })

  test('does not change bodies that are still read', () => {
    const open = gather([1_000, 1_000])
    const closed = gather([2_000, 2_000])
    closed[Symbol.dispose]()
    using later = gather([3_000, 3_000])
    open.append(bytesOf(500, 2_000))
    expect(Buffer.compare(open.bytes, bytesOf(2_500))).toBe(0)
    expect(Buffer.compare(later.bytes, bytesOf(6_000))).toBe(0)
  })
})

describe('spare buffers', () => {
  test.each([
    [1, 256 * KB],
    [256 * KB, 256 * KB],
    [256 * KB + 1, 512 * KB],
    [2_048 * KB, 2_048 * KB],
  ])('%d bytes get a buffer of %d', (size, expected) => {
    expect(new SpareBuffers().take(size).length).toBe(expected)
  })

  /** Gives buffers back that begin with a mark, takes as many, and counts the marks. */
  function reused(howMany: number, given: number, taken: number): number {
    const spare = new SpareBuffers()
    const buffers = Array.from({ length: howMany }, () => spare.take(given))
    for (const buffer of buffers) {
      buffer.fill(0xab, 0, 16)
      spare.give(buffer)
    }
    expect(buffers.every(({ length }) => length === 0)).toBe(true)
    const next = Array.from({ length: howMany }, () => spare.take(taken))
    return next.filter((buffer) => buffer.subarray(0, 16).every((byte) => byte === 0xab)).length
  }

  test.each([
    ['all are used again', 3, 300 * KB, 400 * KB, 3],
    ['no more than 4 MB are kept', 6, 1_000 * KB, 1_000 * KB, 4],
    ['only of the same size', 3, 300 * KB, 200 * KB, 0],
  ])('%s', (_, howMany, given, taken, expected) => {
    expect(reused(howMany, given, taken)).toBe(expected)
  })
})
