import type { Harvest } from './harvest.ts'

/** Most bytes to read behind the end of a head that has an og:title. */
export const MAX_BYTES_BEHIND_HEAD = 262_144

/** Bytes behind the head before the first look whether they are enough; each further one comes after twice as many. */
const FIRST_LOOK_BYTES = 16_384

/** Most looks, those after JSON-LD scripts included: each takes some time. */
const MAX_LOOKS = 12

/**
 * Where reading a page may end, and where to look whether enough was read: at the end of a head that has an og:title,
 * after each JSON-LD script behind it, and from time to time. A page without og:title in its head is read to its end.
 */
export class Checkpoints {
  /** Where reading ends at the latest. */
  limit = Infinity
  #headEnd = 0
  #nextLook = Infinity
  #looks = 0
  /** What there was at the last look. */
  #scripts = 0
  #values = -1

  /** The head has ended and has an og:title. */
  get isHeadComplete(): boolean {
    return this.limit < Infinity
  }

  /** Processes the end of a head that has an og:title. */
  completeHead(at: number): void {
    this.#headEnd = at
    this.#nextLook = at
    this.limit = at + MAX_BYTES_BEHIND_HEAD
  }

  /** Whether to look now. There is nothing to see unless values came since the last look. */
  isDue(at: number, harvest: Harvest): boolean {
    if (at < this.#nextLook && harvest.jsonLd.length === this.#scripts) return false
    const { jsonLd, valueCount } = harvest
    if (this.limit === Infinity || valueCount === this.#values || this.#looks === MAX_LOOKS) return false
    this.#looks++
    this.#scripts = jsonLd.length
    this.#values = valueCount
    this.#nextLook = this.#headEnd + Math.max(FIRST_LOOK_BYTES, 2 * (at - this.#headEnd))
    return true
  }
}
