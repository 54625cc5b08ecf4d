import type { Range } from '../reading/range.ts'

/** A link element with at least one relation that a source reads, undecoded. */
export interface Link {
  relations: readonly string[]
  href: Range
  sizes: Range | null
  type: Range | null
  media: Range | null
  title: Range | null
}
