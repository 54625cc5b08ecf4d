import { codesOf, spells } from './ascii.ts'

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
}

/** 32 places for the first byte: its low five bits are the same in both cases. */
function bucketOf(length: number, firstByte: number): number {
  return length * 32 + (firstByte & 31)
}
