import { createHash } from 'node:crypto'

import type { Row } from './tables.ts'

/** The number of rows, and a checksum that does not depend on their order: databases sort text differently. */
export interface Checksum {
  rows: number
  /** 128 bits in hex. */
  checksum: string
}

const BITS = 128

/** The sum of the SHA-256 hashes of the rows, modulo 2^128. */
export async function checksumOf(
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly string[],
): Promise<Checksum> {
  let rows = 0
  let sum = 0n
  for await (const page of pages) {
    rows += page.length
    for (const row of page) sum = BigInt.asUintN(BITS, sum + hashOf(columns.map((name) => row[name])))
  }
  return { rows, checksum: sum.toString(16).padStart(BITS / 4, '0') }
}

function hashOf(values: readonly unknown[]): bigint {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest()
  return (hash.readBigUInt64BE(0) << 64n) | hash.readBigUInt64BE(8)
}
