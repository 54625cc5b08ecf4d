import { JsonLdParser } from './json-ld-text.ts'
import type { Range } from '../reading/range.ts'
import type { TextReader } from '../reading/text.ts'

/** The maximum number of bytes of JSON-LD to parse in one page. Real pages rarely have more than 100 KB. */
export const MAX_JSON_LD_BYTES = 1_048_576

/** Parses the JSON-LD scripts of a page, each once, even if it is called repeatedly while the page arrives. */
export class JsonLdScripts {
  readonly #parser = new JsonLdParser()
  #blocks: readonly unknown[] = []
  #read = 0
  #bytesLeft = MAX_JSON_LD_BYTES

  constructor(readonly reader: TextReader) {}

  /** Returns the same array until there are more. @param scripts all JSON-LD scripts of the page so far */
  parse(scripts: readonly Range[]): readonly unknown[] {
    if (scripts.length === this.#read) return this.#blocks
    const blocks = [...this.#blocks]
    for (const range of scripts.slice(this.#read)) {
      const length = range.end - range.start
      if (length > this.#bytesLeft) continue
      this.#bytesLeft -= length
      blocks.push(this.#parser.parse(this.reader.raw(range, length)))
    }
    this.#read = scripts.length
    return (this.#blocks = blocks)
  }
}
