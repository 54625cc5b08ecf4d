import { describe, expect, test } from 'bun:test'

import { BodyBuffer } from '../../../src/fetch/response/body-buffer.ts'

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
    expect(Buffer.compare(buffer.detach(expected), bytesOf(expected))).toBe(0)
  })
})

describe('detached bytes keep at most twice their memory', () => {
  test.each([
    ['a little', [1_000, 1_000], 10],
    ['half', [100 * KB, 100 * KB], 128 * KB],
    ['most', [100 * KB, 100 * KB], 199 * KB],
    ['less than one chunk', [5_000, 10], 5_000],
    ['of a larger buffer', [200 * KB, 200 * KB], 5],
  ])('%s', (_, lengths, kept) => {
    const bytes = gather(lengths).detach(kept)
    expect(Buffer.compare(bytes, bytesOf(kept))).toBe(0)
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * kept)
  })

  test('the only chunk is not copied', () => {
    const chunk = bytesOf(5_000)
    const buffer = new BodyBuffer(KB * KB)
    buffer.append(chunk)
    expect(buffer.detach(10).buffer).toBe(chunk.buffer)
  })
})
