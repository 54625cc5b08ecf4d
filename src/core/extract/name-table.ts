import { decodeHTMLAttribute } from 'entities/decode'

import { AMPERSAND, codesOf, spells } from './ascii.ts'
import type { Range } from './range.ts'

/** Bytes of a name that is written with character references; the longest known one would have 200. */
const MAX_ENCODED_NAME = 300

/**
 * Finds which of a few known ASCII names a run of bytes spells, whatever its case, without making a string of it: a page
 * has thousands of names and nearly all of them are of no interest.
 */
export class NameTable<Name extends string> {
  /** Indices into `names`, by length and low bits of the first byte. Most lookups end at an empty bucket. */
  readonly #buckets: (readonly number[] | undefined)[] = []
  readonly #codes: readonly Uint8Array[]
  readonly #longest: number

  /** @param names in the spelling that is handed out */
  constructor(readonly names: readonly Name[]) {
    this.#codes = names.map((name) => codesOf(name.toLowerCase()))
    this.#longest = Math.max(...names.map((name) => name.length))
    for (const [index, codes] of this.#codes.entries()) {
      const bucket = bucketOf(codes.length, codes[0] ?? 0)
      this.#buckets[bucket] = [...(this.#buckets[bucket] ?? []), index]
    }
  }

  /** The index in `names` of what `bytes[start, end)` spells, or -1. */
  indexOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length === 0 || length > this.#longest) return -1
    const bucket = this.#buckets[bucketOf(length, bytes[start]!)]
    if (bucket === undefined) return -1
    for (const index of bucket) if (spells(bytes, start, this.#codes[index]!)) return index
    return -1
  }

  /** The known name that `bytes[start, end)` spells, if any. */
  find(bytes: Uint8Array, start: number, end: number): Name | undefined {
    const index = this.indexOf(bytes, start, end)
    return index < 0 ? undefined : this.names[index]
  }

  /** The known name that an attribute's value spells, by character references too. */
  findWritten(bytes: Uint8Array, { start, end }: Range): Name | undefined {
    const name = this.find(bytes, start, end)
    if (name !== undefined || end - start > MAX_ENCODED_NAME) return name
    const written = bytes.subarray(start, end)
    if (!written.includes(AMPERSAND)) return undefined
    const decoded = codesOf(decodeHTMLAttribute(String.fromCharCode(...written)))
    return this.find(decoded, 0, decoded.length)
  }
}

/** 32 places for the first byte: its low five bits are the same in both cases. */
function bucketOf(length: number, firstByte: number): number {
  return length * 32 + (firstByte & 31)
}
