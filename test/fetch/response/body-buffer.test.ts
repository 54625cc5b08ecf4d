import { describe, expect, test } from 'bun:test'

import { BodyBuffer } from '../../../src/fetch/response/body-buffer.ts'

const KB = 1_024

/** Bytes whose values show their position. */
function bytesOf(length: number, from = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = (from + i) % 251
  return bytes
}

function gather(lengths: readonly number[], spare?: ArrayBuffer[]) {
  const buffer = new BodyBuffer(2_048 * KB, spare)
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
    ['more than a reusable buffer', [400 * KB, 400 * KB]],
  ])('is empty and can be disposed again: %s', (_, lengths) => {
    const buffer = gather(lengths)
    buffer[Symbol.dispose]()
    buffer[Symbol.dispose]()
    expect(buffer.size).toBe(0)
    expect(buffer.bytes.length).toBe(0)
  })

  test('leaves its memory to the next, and its views become empty', () => {
    const spare: ArrayBuffer[] = []
    const first = gather([1_000, 200 * KB], spare)
    const view = first.bytes
    first[Symbol.dispose]()
    expect([view.length, spare.length]).toEqual([0, 1])
    using next = gather([10, 20], spare)
    expect(spare).toEqual([])
    expect(Buffer.compare(next.bytes, bytesOf(30))).toBe(0)
    // What lies behind the new bytes is the memory of the first body.
    const behind = new Uint8Array(next.bytes.buffer).subarray(30, 1_000)
    expect(Buffer.compare(behind, bytesOf(970, 30))).toBe(0)
  })

  test('does not touch the memory of an only chunk, which is not its own', () => {
    const chunk = bytesOf(5_000)
    const buffer = new BodyBuffer(KB * KB)
    buffer.append(chunk)
    buffer[Symbol.dispose]()
    expect(Buffer.compare(chunk, bytesOf(5_000))).toBe(0)
  })

  test('can be used again', () => {
    const buffer = gather([100, 200])
    buffer[Symbol.dispose]()
    const chunk = bytesOf(5_000)
    buffer.append(chunk)
    buffer.append(bytesOf(10, 5_000))
    expect(Buffer.compare(buffer.bytes, bytesOf(5_010))).toBe(0)
    expect(Buffer.compare(chunk, bytesOf(5_000))).toBe(0)
  })

  test.each([
    [512 * KB, 512 * KB],
    [512 * KB + 1, 1_024 * KB],
    [2_048 * KB, 2_048 * KB],
  ])('%d bytes take %d of memory', (size, expected) => {
    using buffer = gather([100, size - 100])
    expect(buffer.bytes.buffer.byteLength).toBe(expected)
  })

  test('shares no memory with bodies that are still read', () => {
    const spare: ArrayBuffer[] = []
    using open = gather([1_000, 1_000], spare)
    gather([2_000, 2_000], spare)[Symbol.dispose]()
    using later = gather([3_000, 3_000], spare)
    open.append(bytesOf(500, 2_000))
    expect(Buffer.compare(open.bytes, bytesOf(2_500))).toBe(0)
    expect(Buffer.compare(later.bytes, bytesOf(6_000))).toBe(0)
  })

  test('a body that fills its memory stays there', () => {
    using buffer = gather([100, 100])
    const memory = buffer.bytes.buffer
    buffer.append(bytesOf(512 * KB - 200, 200))
    expect(buffer.bytes.buffer).toBe(memory)
  })

  test('a body that outgrows its memory leaves it to the next', () => {
    const spare: ArrayBuffer[] = []
    using buffer = gather([1_000, 200 * KB], spare)
    const view = buffer.bytes
    buffer.append(bytesOf(400 * KB, 1_000 + 200 * KB))
    expect([view.length, spare.length]).toEqual([0, 1])
    expect(Buffer.compare(buffer.bytes, bytesOf(1_000 + 600 * KB))).toBe(0)
  })

  test.each<[string, number, number, number]>([
    ['the memory of some is kept', 3, 200 * KB, 3],
    ['of no more than 8', 10, 200 * KB, 8],
    ['but not more than 512 KB each', 3, 600 * KB, 0],
  ])('%s', (_, howMany, size, kept) => {
    const spare: ArrayBuffer[] = []
    const bodies = Array.from({ length: howMany }, () => gather([1_000, size], spare))
    const views = bodies.map(({ bytes }) => bytes)
    for (const body of bodies) body[Symbol.dispose]()
    expect(spare.map(({ byteLength }) => byteLength)).toEqual(Array.from({ length: kept }, () => 512 * KB))
    expect(views.every(({ length }) => length === 0)).toBe(true)
  })
})

describe('the memory of a chunk', () => {
  const LARGE = 64 * KB
  const bytesLeft = (chunk: Uint8Array) => chunk.buffer.byteLength

  test.each<[string, boolean, number, number]>([
    ['that is given is freed', true, LARGE, 0],
    ['that is not given stays', false, LARGE, LARGE],
    ['that may be from a pool stays', true, Buffer.poolSize, Buffer.poolSize],
    ['just larger than a pool is freed', true, Buffer.poolSize + 1, 0],
  ])('%s', (_, isGiven, length, left) => {
    const [only, first, second] = [bytesOf(length), bytesOf(length), bytesOf(length, length)]
    const one = new BodyBuffer(KB * KB)
    one.append(only, isGiven)
    expect(Buffer.compare(one.bytes, bytesOf(length))).toBe(0)
    one[Symbol.dispose]()
    using two = new BodyBuffer(KB * KB)
    two.append(first, isGiven)
    two.append(second, isGiven)
    expect(Buffer.compare(two.bytes, bytesOf(2 * length))).toBe(0)
    expect([only, first, second].map(bytesLeft)).toEqual([left, left, left])
  })

  test('is freed once if a body is used again', () => {
    const [first, next] = [bytesOf(LARGE), bytesOf(LARGE)]
    const buffer = new BodyBuffer(KB * KB)
    buffer.append(first, true)
    buffer[Symbol.dispose]()
    buffer.append(next)
    buffer[Symbol.dispose]()
    expect([first, next].map(bytesLeft)).toEqual([0, LARGE])
  })

  test('that starts with a head is freed with it', () => {
    const chunk = bytesOf(LARGE)
    const buffer = new BodyBuffer(KB * KB)
    buffer.append(chunk.subarray(100), true)
    buffer[Symbol.dispose]()
    expect(bytesLeft(chunk)).toBe(0)
  })
})
