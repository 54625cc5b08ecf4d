import { createHash } from 'node:crypto'

import type { Row } from './tables.ts'

const BITS = 128

/** A number of rows, and a checksum that does not depend on their order: databases sort text differently. */
export class Checksum {
  rows = 0
  #sum = 0n

  add(rows: readonly Row[], columns: readonly string[]): void {
    this.rows += rows.length
    for (const row of rows) this.#sum = BigInt.asUintN(BITS, this.#sum + hashOf(columns.map((name) => row[name])))
  }

  /** The sum of the SHA-256 hashes of the rows, modulo 2^128, in hex. */
  get checksum(): string {
    return this.#sum.toString(16).padStart(BITS / 4, '0')
  }
}

function hashOf(values: readonly unknown[]): bigint {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest()
  return (hash.readBigUInt64BE(0) << 64n) | hash.readBigUInt64BE(8)
}
