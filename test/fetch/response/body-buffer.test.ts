import { describe, expect, test } from 'bun:test'

import { BodyBuffer, BufferPool } from '../../../src/fetch/response/body-buffer.ts'

const KB = 1_024

/** Bytes whose values show their position. */
function bytesOf(length: number, from = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = (from + i) % 251
  return bytes
}

function gather(lengths: readonly number[], maxBytes = 2_048 * KB, pool = new BufferPool()) {
  const buffer = new BodyBuffer(maxBytes, pool)
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
    ['as large as a pooled buffer', [100, 256 * KB - 100], 256 * KB],
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
    expect(Buffer.compare(buffer.detach(expected), bytesOf(expected))).toBe(0)
  })
})

describe('detached bytes are not overwritten by the next body', () => {
  test.each([
    ['a little', [1_000, 1_000], 10],
    ['most', [100 * KB, 100 * KB], 199 * KB],
    ['one chunk', [5_000], 5_000],
    ['more than fits', [200 * KB, 200 * KB], 5],
  ])('%s', (_, lengths, kept) => {
    const pool = new BufferPool()
    const bytes = gather(lengths, 2_048 * KB, pool).detach(kept)
    const next = new BodyBuffer(2_048 * KB, pool)
    for (let i = 0; i < 4; i++) next.append(new Uint8Array(60 * KB).fill(255))
    expect(Buffer.compare(bytes, bytesOf(kept))).toBe(0)
  })
})

test('released buffers are reused', () => {
  const pool = new BufferPool()
  gather([10, 10], KB, pool).release()
  const buffer = pool.acquire()
  expect(buffer.subarray(0, 20)).toEqual(Buffer.from(bytesOf(20)))
  pool.release(buffer)
  expect(pool.acquire()).toBe(buffer)
  expect(pool.acquire()).not.toBe(buffer)
})
