import { decodeHTMLAttribute } from 'entities/decode'

import { AMPERSAND, asciiBytes, matchesIgnoringCase } from './ascii.ts'
import { type Range, someToken } from './range.ts'

/** The maximum number of bytes of a name with character references. The longest known name would have 200. */
const MAX_ENCODED_NAME = 300

/** The number of buckets, a power of two: enough that most lookups of unknown names find an empty bucket. */
const BUCKETS = 4_096

/** The end of a bucket. */
const NONE = -1

/** Looks up bytes in a set of ASCII names, ignoring case. Creates no strings, because pages have thousands of names. */
export class NameLookup<Name extends string> {
  /**
   * A hash table with chaining: the index of the first name in each bucket, and for each name the index of the next
   * name in its bucket.
   */
  readonly #firstOf = new Int16Array(BUCKETS).fill(NONE)
  readonly #nextOf: Int16Array
  /** The names in lower case. */
  readonly #codes: readonly Uint8Array[]

  readonly names: readonly Name[]

  /** @param names in the spelling that lookups return */
  constructor(names: Iterable<Name>) {
    this.names = [...new Set(names)]
    this.#codes = this.names.map((name) => asciiBytes(name.toLowerCase()))
    this.#nextOf = new Int16Array(this.names.length)
    for (const [index, codes] of this.#codes.entries()) {
      const bucket = bucketOf(codes, 0, codes.length)
      this.#nextOf[index] = this.#firstOf[bucket]!
      this.#firstOf[bucket] = index
    }
  }

  /** The index in `names` of the name in `bytes[start, end)`, or -1. */
  indexOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length === 0) return -1
    let index = this.#firstOf[bucketOf(bytes, start, end)]!
    while (index !== NONE) {
      const codes = this.#codes[index]!
      if (codes.length === length && matchesIgnoringCase(bytes, start, codes)) return index
      index = this.#nextOf[index]!
    }
    return -1
  }

  /** The name in `bytes[start, end)`; undefined when it is unknown. */
  find(bytes: Uint8Array, start: number, end: number): Name | undefined {
    const index = this.indexOf(bytes, start, end)
    return index < 0 ? undefined : this.names[index]
  }

  /** Whether one of the space-separated tokens of a value is one of the names. */
  hasToken(bytes: Uint8Array, value: Range): boolean {
    return someToken(bytes, value, (start, end) => this.indexOf(bytes, start, end) >= 0)
  }

  /** The name in an attribute's value, with character references decoded; undefined when it is unknown. */
  findDecoded(bytes: Uint8Array, { start, end }: Range): Name | undefined {
    const name = this.find(bytes, start, end)
    if (name !== undefined || end - start > MAX_ENCODED_NAME) return name
    let at = start
    while (at < end && bytes[at] !== AMPERSAND) at++
    if (at === end) return undefined
    const written = String.fromCharCode(...bytes.subarray(start, end))
    const decoded = asciiBytes(decodeHTMLAttribute(written))
    return this.find(decoded, 0, decoded.length)
  }
}

/** Hashes the length and the low five bits of the first and last byte, which are the same for upper and lower case. */
function bucketOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]! & 31
  const last = bytes[end - 1]! & 31
  return ((end - start) * 961 + first * 31 + last) & (BUCKETS - 1)
}
