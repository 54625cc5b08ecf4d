import { decodeHTMLAttribute } from 'entities/decode'

import { AMPERSAND, asciiBytes, matchesIgnoringCase } from './ascii.ts'
import type { Range } from './range.ts'

/** The maximum number of bytes of a name with character references. The longest known name would have 200. */
const MAX_ENCODED_NAME = 300

/**
 * Looks up bytes in a set of ASCII names, ignoring case and without creating a string: pages have thousands of names, most
 * of them unknown.
 */
export class NameLookup<Name extends string> {
  /** Indices into `names`, by length and low bits of the first byte. Most lookups find an empty bucket. */
  readonly #buckets: (readonly number[] | undefined)[] = []
  readonly #codes: readonly Uint8Array[]
  readonly #longest: number

  /** @param names in the spelling that lookups return */
  constructor(readonly names: readonly Name[]) {
    this.#codes = names.map((name) => asciiBytes(name.toLowerCase()))
    this.#longest = Math.max(...names.map((name) => name.length))
    for (const [index, codes] of this.#codes.entries()) {
      const bucket = bucketOf(codes.length, codes[0] ?? 0)
      this.#buckets[bucket] = [...(this.#buckets[bucket] ?? []), index]
    }
  }

  /** The index in `names` of the name in `bytes[start, end)`, or -1. */
  indexOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length === 0 || length > this.#longest) return -1
    const bucket = this.#buckets[bucketOf(length, bytes[start]!)]
    if (bucket === undefined) return -1
    for (const index of bucket) if (matchesIgnoringCase(bytes, start, this.#codes[index]!)) return index
    return -1
  }

  /** The name in `bytes[start, end)`; undefined when it is unknown. */
  find(bytes: Uint8Array, start: number, end: number): Name | undefined {
    const index = this.indexOf(bytes, start, end)
    return index < 0 ? undefined : this.names[index]
  }

  /** The name in an attribute's value, with character references decoded; undefined when it is unknown. */
  findDecoded(bytes: Uint8Array, { start, end }: Range): Name | undefined {
    const name = this.find(bytes, start, end)
    if (name !== undefined || end - start > MAX_ENCODED_NAME) return name
    const written = bytes.subarray(start, end)
    if (!written.includes(AMPERSAND)) return undefined
    const decoded = asciiBytes(decodeHTMLAttribute(String.fromCharCode(...written)))
    return this.find(decoded, 0, decoded.length)
  }
}

/** The low five bits of the first byte are the same in upper and lower case. */
function bucketOf(length: number, firstByte: number): number {
  return length * 32 + (firstByte & 31)
}
