import type { Harvest } from './harvest.ts'

/** The maximum number of bytes to read after a head that has an og:title. */
export const MAX_BYTES_AFTER_HEAD = 262_144

/** Bytes after the head at the first check for missing values; each further check comes after twice as many bytes. */
const FIRST_CHECK_BYTES = 16_384

/** The maximum number of checks, including those after JSON-LD scripts. Bounds their total time. */
const MAX_CHECKS = 12

/**
 * Decides when to check whether enough of a page was read: at the end of a head that has an og:title, after each JSON-LD
 * script that follows, and at growing distances. A page without an og:title in its head is read to its end.
 */
export class Checkpoints {
  /** The position at which reading stops in any case. */
  limit = Infinity
  #headEnd = 0
  #nextCheck = Infinity
  #checks = 0
  /** The counts at the last check. */
  #scripts = 0
  #values = -1

  /** Whether the head has ended and has an og:title. */
  get isHeadComplete(): boolean {
    return this.limit < Infinity
  }

  /** Processes the end of a head that has an og:title. */
  completeHead(at: number): void {
    this.#headEnd = at
    this.#nextCheck = at
    this.limit = at + MAX_BYTES_AFTER_HEAD
  }

  /** Whether to check now. A check is skipped if no values were found since the last check. */
  isDue(at: number, harvest: Harvest): boolean {
    if (at < this.#nextCheck && harvest.jsonLd.length === this.#scripts) return false
    const { jsonLd, valueCount } = harvest
    if (this.limit === Infinity || valueCount === this.#values || this.#checks === MAX_CHECKS) return false
    this.#checks++
    this.#scripts = jsonLd.length
    this.#values = valueCount
    this.#nextCheck = this.#headEnd + Math.max(FIRST_CHECK_BYTES, 2 * (at - this.#headEnd))
    return true
  }
}
